import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { type Release, reasonsAgainst } from '../../scripts/package/release-rules.ts'

const READY: Release = {
  manifest: { version: '1.2.3', repository: { url: 'git+https://example.com/payhook.git' } },
  changelog:
    '# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-12-01\n\n- Something.\n\n## [1.2.2] - 2026-11-01\n',
  tags: ['v1.2.3'],
  changes: [],
}

it('lets a tagged, clean and described commit be released', () => {
  expect(reasonsAgainst(READY)).toEqual([])
})

it.each<[string, Partial<Release>]>([
  ['has no "repository"', { manifest: { version: '1.2.3' } }],
  ['has no "repository"', { manifest: { version: '1.2.3', repository: {} } }],
  ['has no tag v1.2.3', { tags: ['v1.2.2', 'latest'] }],
  ['not committed: src/a.ts', { changes: ['src/a.ts'] }],
  ['has no section [1.2.3]', { changelog: '## [Unreleased]\n\n## [1.2.30] - 2026-12-01\n' }],
  ['has no date', { changelog: '## [1.2.3]\n\n- 2026-12-01\n' }],
])('stops a release that %s', (reason, change) => {
  const reasons = reasonsAgainst({ ...READY, ...change })
  expect(reasons).toHaveLength(1)
  expect(reasons[0]).toContain(reason)
})

it('runs code of the repository only where nothing can be published', () => {
  const workflow = readFileSync(new URL('../../.github/workflows/release.yml', import.meta.url), 'utf8')
  const [, jobs = ''] = workflow.split('jobs:')
  const [, ...each] = jobs.split(/^ {2}(?=\w+:$)/m)
  const mayPublish = each.map((job) => job.includes('id-token: write'))
  const runsCode = each.map((job) => /actions\/checkout|npm (?:ci|run)/.test(job))
  expect([mayPublish, runsCode]).toEqual([
    [false, true],
    [true, false],
  ])
})

import { expect, it } from 'vitest'
import { type Release, reasonsAgainst } from '../../scripts/release-rules.ts'

const READY: Release = {
  manifest: { version: '1.2.3', repository: { url: 'git+https://example.com/payhook.git' } },
  changelog:
    '# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-12-01\n\n- Something.\n\n## [1.2.2] - 2026-11-01\n',
  tags: ['v1.2.3'],
  changes: [],
  isInCi: true,
  stage: true,
}

it('lets a tagged, clean and described commit be staged by the workflow', () => {
  expect(reasonsAgainst(READY)).toEqual([])
  expect(reasonsAgainst({ ...READY, isInCi: false, stage: false })).toEqual([])
})

it.each<[string, Partial<Release>]>([
  ['has no "repository"', { manifest: { version: '1.2.3' } }],
  ['has no "repository"', { manifest: { version: '1.2.3', repository: {} } }],
  ['has no tag v1.2.3', { tags: ['v1.2.2', 'latest'] }],
  ['not committed: src/a.ts', { changes: ['src/a.ts'] }],
  ['has no section [1.2.3]', { changelog: '## [Unreleased]\n\n## [1.2.30] - 2026-12-01\n' }],
  ['has no date', { changelog: '## [1.2.3]\n\n- 2026-12-01\n' }],
  ['only be staged by the release workflow', { isInCi: false }],
])('stops a release that %s', (reason, change) => {
  const reasons = reasonsAgainst({ ...READY, ...change })
  expect(reasons).toHaveLength(1)
  expect(reasons[0]).toContain(reason)
})

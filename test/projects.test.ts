import { globSync, readFileSync } from 'node:fs'
import { join, matchesGlob, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { PROJECTS } from '../vitest.config.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const files = globSync('test/**/*.test.ts', { cwd: root })

/** The projects of vitest that run a file. */
function projectsOf(file: string): string[] {
  return Object.entries(PROJECTS)
    .filter(([, { include }]) => include.some((glob) => matchesGlob(file, glob)))
    .filter(([, { exclude }]) => !exclude.some((glob) => matchesGlob(file, glob)))
    .map(([name]) => name)
}

it('has each test file in one project, beside the part of it that needs only its process', () => {
  expect(files.length).toBeGreaterThan(100)
  const projects = new Set(files.map((file) => projectsOf(file).join(' and ')))
  expect([...projects].toSorted()).toEqual(['long', 'test', 'test and unit', 'topologies'])
})

it('has budgets of processor time for files that are there', () => {
  const budget: Record<string, number> = JSON.parse(read('test/processor-seconds.json'))
  expect(Object.keys(budget).filter((file) => !files.includes(file))).toEqual([])
})

it('runs every project in CI', () => {
  const scripts: Record<string, string> = JSON.parse(read('package.json')).scripts
  const steps = read('.ci/run')
  const inCi = Object.keys(scripts).filter((name) =>
    new RegExp(`npm (?:run )?(?:--silent )?${name}(?: --silent)?$`, 'm').test(steps),
  )
  const run = inCi.flatMap((name) => scripts[name]?.match(/(?<=--project )\w+/g) ?? [])
  expect([...run, 'unit'].toSorted()).toEqual(Object.keys(PROJECTS).toSorted())
})

it('has a name that ends in .integration.test.ts where a test needs more than its own process', () => {
  const wrong = files
    .filter((file) => projectsOf(file).includes('unit') && file !== 'test/architecture.test.ts')
    .filter(
      (file) =>
        [...loadedBy(file)].some(needsMore) || /\bdescribe(?:WithService|OnEngines)\(/.test(read(file)),
    )
  expect(wrong).toEqual([])
})

function needsMore(module: string): boolean {
  return ['node:child_process', 'node:worker_threads', 'playwright-core'].includes(module)
}

/** What a file loads of the tests and tools, directly or not, and which modules those load. */
function loadedBy(file: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(file)) return loaded
  loaded.add(file)
  if (!/^(?:test|bench|fuzz|scripts)\//.test(file)) return loaded
  for (const [, type, from = ''] of read(file).matchAll(
    /^(?:import|export)\s+(type\s)?[^'"]*?from\s+'([^']+)'/gm,
  )) {
    if (type !== undefined) continue
    loadedBy(from.startsWith('.') ? posix.join(posix.dirname(file), from) : from, loaded)
  }
  return loaded
}

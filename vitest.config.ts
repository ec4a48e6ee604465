import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { skippedReporter } from './test/skipped-reporter.ts'
import { PROCESSOR_SECONDS, timesReporter } from './test/times-reporter.ts'

/** Of long tests, whose processor time is not recorded. */
const LONGEST = ['/interruptions', '/outages', '/end-to-end/', '/inbox/', '']

/** Begins with what takes long, so that none of it starts last. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const rank = ({ moduleId, project }: TestSpecification) => {
      if (project.name === 'long') return LONGEST.findIndex((part) => moduleId.includes(part))
      // What waits for engines leaves processor time to the others.
      const waits = /\/inbox\/.*\.integration\./.test(moduleId) ? 100 : 0
      return -waits - (PROCESSOR_SECONDS[relative(import.meta.dirname, moduleId)] ?? 0)
    }
    return sorted.toSorted((left, right) => rank(left) - rank(right))
  }
}

/** What each project runs, by the names of the files. `test` includes `unit`: name one with `--project`. */
export const PROJECTS = {
  /** What `npm test` runs. In two projects, each process would end before it runs a file of the other one. */
  test: { include: ['test/**/*.test.ts'], exclude: ['test/**/*.long.test.ts', 'test/topologies/**'] },
  /** The part of `test` that needs only its own process: no other program, no engine's server, no browser. */
  unit: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/**/*.integration.test.ts', 'test/**/*.long.test.ts', 'test/topologies/**'],
  },
  /** Outages, kills, thousands of payments. */
  long: { include: ['test/**/*.long.test.ts'], exclude: ['test/topologies/**'] },
  /** The inbox suites again, against ways to run Redis and PostgreSQL that not everybody uses. */
  topologies: { include: ['test/topologies/**/*.test.ts'], exclude: [] },
}

export default defineConfig({
  test: {
    // Tests start hundreds of processes, which mostly compile the same modules.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/compile', import.meta.url)) },
    reporters: ['default', timesReporter, skippedReporter],
    setupFiles: ['test/measure-file.ts'],
    // Tests provoke hundreds of them, among which nobody would see another message.
    execArgv: ['--disable-warning=PayhookWarning'],
    // Only for tests that hang. Tests wait for conditions, which takes a while on a busy machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // A process per file would take as long as the tests.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    projects: Object.entries(PROJECTS).map(([name, files]) => ({ extends: true, test: { name, ...files } })),
  },
})

import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { skippedReporter } from './test/skipped-reporter.ts'

/**
 * Begins with what takes long though it mostly waits, for leases to run out and the like; what computes runs
 * beside it. Then the long ones that compute, so that none of them starts last.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const rank = ({ moduleId }: TestSpecification) =>
      [
        '/interruptions',
        '/outages',
        '/console/sandbox-page',
        '/end-to-end/',
        '/inbox/',
        '/cli/inbox-',
        '/cli/',
        '/console/',
        '/small-chunks',
        '/delivery',
        '',
      ].findIndex((part) => moduleId.includes(part))
    return sorted.toSorted((left, right) => rank(left) - rank(right))
  }
}

export default defineConfig({
  test: {
    // Tests start hundreds of processes, which mostly compile the same modules.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/compile', import.meta.url)) },
    reporters: ['default', skippedReporter],
    include: ['test/**/*.test.ts'],
    // Those of `npm run test:topologies`.
    exclude: ['test/topologies/**'],
    // Tests provoke hundreds of them, among which nobody would see another message.
    execArgv: ['--disable-warning=PayhookWarning'],
    // Only for tests that hang. Tests wait for conditions, which takes a while on a busy machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // More than there are cores, as the inbox tests mostly wait for leases to expire.
    maxWorkers: 8,
    // A process per file would take as long as the tests.
    isolate: false,
    sequence: { sequencer: LongestFirst },
  },
})

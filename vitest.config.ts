import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Begins with what takes long though it mostly waits, for leases to run out and the like; what computes runs
 * beside it.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const rank = ({ moduleId }: TestSpecification) =>
      ['/inbox/pg-boss-', '-outages', '/inbox/', '/end-to-end/', '/small-chunks', '/delivery', ''].findIndex(
        (part) => moduleId.includes(part),
      )
    return sorted.toSorted((left, right) => rank(left) - rank(right))
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    typecheck: { enabled: true, include: ['test/**/*.test-d.ts'] },
    // For what hangs. Tests wait for things, which take a while on a busy machine, and do not measure time.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // More than there are cores: most of the time the inboxes' tests wait for a lease to run out.
    maxWorkers: 8,
    // A process a file would cost as much as the tests.
    isolate: false,
    sequence: { sequencer: LongestFirst },
  },
})

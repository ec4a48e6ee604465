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
      [
        '/inbox/pg-boss-',
        '-outages',
        '/inbox/',
        '/end-to-end/',
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
    include: ['test/**/*.test.ts'],
    typecheck: { enabled: true, include: ['test/**/*.test-d.ts'] },
    // Only for tests that hang. Tests wait for conditions, which takes a while on a busy machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    // More than there are cores, as the inbox tests mostly wait for leases to expire.
    maxWorkers: 8,
    // A process per file would take as long as the tests.
    isolate: false,
    sequence: { sequencer: LongestFirst },
  },
})

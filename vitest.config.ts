import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Begins with the inboxes, which wait for leases to run out most of the time; what computes runs beside them. */
class InboxesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const rank = ({ moduleId }: TestSpecification) =>
      ['/inbox/pg-boss-', '/inbox/', ''].findIndex((part) => moduleId.includes(part))
    return sorted.toSorted((left, right) => rank(left) - rank(right))
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    typecheck: { enabled: true, include: ['test/**/*.test-d.ts'] },
    testTimeout: 30_000,
    // More than there are cores: most of the time the inboxes' tests wait for a lease to run out.
    maxWorkers: 6,
    sequence: { sequencer: InboxesFirst },
  },
})

import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    typecheck: { enabled: true, include: ['test/**/*.test-d.ts'] },
    testTimeout: 20_000,
    // More than there are cores: most of the time the inboxes' tests wait for a lease to run out.
    maxWorkers: 6,
  },
})

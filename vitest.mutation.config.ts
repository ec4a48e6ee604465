import { defineConfig } from 'vitest/config'

/** The tests that find a mutant fast: no engines, no child processes, nothing that waits or measures memory. */
export default defineConfig({
  test: {
    testTimeout: 60_000,
    include: ['test/**/*.test.ts'],
    exclude: [
      'test/adapters/inbox/**',
      'test/end-to-end/**',
      'test/**/small-chunks.test.ts',
      'test/architecture.test.ts',
      'test/sandbox/delivery.test.ts',
    ],
  },
})

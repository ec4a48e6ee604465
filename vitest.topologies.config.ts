import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

/** The inbox suites again, against ways to run Redis and PostgreSQL that not everybody uses. */
export default defineConfig({
  test: {
    ...base.test,
    include: ['test/topologies/**/*.test.ts'],
    exclude: [],
    // Each file also starts servers, and a put has only 3 seconds.
    maxWorkers: 5,
  },
})

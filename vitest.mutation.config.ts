import { defineConfig } from 'vitest/config'

/** The tests that find a mutant fast: no server, no child process, nothing that waits or measures memory. */
export default defineConfig({
  test: {
    testTimeout: 60_000,
    execArgv: ['--disable-warning=PayhookWarning'],
    include: [
      'test/{events,json,inbox,receiver,telemetry,verification}/**/*.test.ts',
      'test/{parse,time-limit,option-checks,errors,backoff}.test.ts',
      'test/adapters/http/{fetch,node}.test.ts',
      'test/adapters/inbox/sqlite/{health,sqlite-inbox,subjects}.test.ts',
    ],
    exclude: [
      'test/inbox/move-page.test.ts',
      'test/telemetry/{instrumented-server,prometheus-files}.test.ts',
    ],
  },
})

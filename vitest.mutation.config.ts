import { defineConfig } from 'vitest/config'

const CORE = ['test/{events,json,verification}/**/*.test.ts', 'test/{parse,option-checks,errors}.test.ts']

/** The tests that find a mutant of a folder fast: no server, no child process, hardly anything that waits. */
const TESTS = {
  json: ['test/json/*.test.ts', 'test/parse.test.ts', 'test/events/*.test.ts'],
  events: CORE,
  verification: [...CORE, 'test/receiver/receiver.test.ts', 'test/adapters/http/fetch.test.ts'],
  receiver: [...CORE, 'test/{receiver,telemetry}/*.test.ts', 'test/time-limit.test.ts'],
  inbox: [
    'test/{backoff,time-limit,option-checks}.test.ts',
    'test/inbox/*.test.ts',
    'test/receiver/receiver-inbox.test.ts',
    'test/adapters/inbox/sqlite/{health,sqlite-inbox.integration,subjects}.test.ts',
  ],
}

export const MUTATED_FOLDERS = Object.keys(TESTS) as (keyof typeof TESTS)[]

const folder = MUTATED_FOLDERS.find((name) => name === process.env.MUTATED_FOLDER)

export default defineConfig({
  test: {
    // A mutant may hang a test.
    testTimeout: 10_000,
    execArgv: ['--disable-warning=PayhookWarning'],
    include: folder === undefined ? Object.values(TESTS).flat() : TESTS[folder],
    exclude: [
      'test/events/hover-texts.test.ts',
      'test/cli/move-page.long.test.ts',
      'test/telemetry/{instrumented-server,prometheus-files}.integration.test.ts',
    ],
  },
})

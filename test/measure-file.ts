// Runs before each test file is loaded, and leaves what it cost for `times-reporter.ts`.

import { afterAll } from 'vitest'
import { processorTimeOf } from '../bench/support/processor-time.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** The processor time of a test file in milliseconds, with that of its child processes. */
    processorMs?: number
  }
}

const isLinux = process.platform === 'linux'
const before = isLinux ? processorTimeOf(process.pid) : 0

// biome-ignore lint/correctness/noEmptyPattern: vitest requires it
afterAll(({}, { file }) => {
  if (isLinux) file.meta.processorMs = processorTimeOf(process.pid) - before
})

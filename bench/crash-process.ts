import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { InboxPlace } from '../test/contracts/open-inbox.ts'

/** What a process of the crash test is to do. */
export interface CrashPlan {
  readonly place: InboxPlace
  readonly role: 'receiver' | 'worker'
  /** The file to note down what was done. */
  readonly journal: string
  /** Part of the ids of its notifications. */
  readonly round: number
  /** What the sender sends again: notifications of the round before, answered or not. */
  readonly again: readonly string[]
}

/** A process that works until it is killed. */
export interface CrashProcess {
  /** Resolves once it has done something, or is gone. */
  atWork(): Promise<void>
  /** Ends it as a loss of power would end the process, and waits until it is gone. */
  kill(): Promise<void>
}

export function startCrashProcess(plan: CrashPlan): CrashProcess {
  const child = fork(new URL('./inbox-crash-child.ts', import.meta.url), [JSON.stringify(plan)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  const gone = once(child, 'close')
  const atWork = Promise.race([once(child, 'message'), gone])
  return {
    atWork: async () => void (await atWork),
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
  }
}

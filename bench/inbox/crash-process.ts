import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { InboxPlace } from '../../test/contracts/open-inbox.ts'

/** What a process of the crash test does. */
export interface CrashPlan {
  readonly place: InboxPlace
  readonly role: 'receiver' | 'worker'
  /** The file in which the process records its work. */
  readonly journal: string
  /** Part of the notification ids. */
  readonly round: number
  /** Notifications of the previous round to send again, acknowledged or not. */
  readonly again: readonly string[]
}

/** A process that works until it is killed. */
export interface CrashProcess {
  /** Resolves when the process has started to work, or has ended. */
  atWork(): Promise<void>
  /** Kills the process with SIGKILL and waits until it is gone. */
  kill(): Promise<void>
}

export function startCrashProcess(plan: CrashPlan): CrashProcess {
  const child = fork(new URL('./crash-child.ts', import.meta.url), [JSON.stringify(plan)], {
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

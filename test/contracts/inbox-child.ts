import type { ChildProcess } from 'node:child_process'
import type { InboxOptions } from '../../src/inbox/inbox-options.ts'
import type { InboxPlace } from './open-inbox.ts'
import { startProgram } from './start-program.ts'

/** What a process does: put `count` notifications, `inFlight` at a time, or handle what is stored. */
export interface ProcessPlan {
  readonly place: InboxPlace
  readonly options?: InboxOptions
  readonly role: 'receiver' | 'worker'
  readonly from?: number
  readonly count?: number
  readonly inFlight?: number
  /**
   * `poison` kills the process after 150 ms if the body says so, and takes 400 ms otherwise. `defer` says "not
   * yet", for 5 ms.
   */
  readonly handler?: 'succeed' | 'hang' | 'crash' | 'poison' | 'defer'
}

export type ProcessMessage =
  | { readonly put: string; readonly result: 'stored' | 'duplicate' }
  | { readonly rejected: string; readonly error: string }
  | { readonly handling: string; readonly attempt: number }
  | { readonly handled: string; readonly attempt: number }
  | { readonly dead: string; readonly attempts: number; readonly error: string }
  | { readonly failed: string }
  | { readonly started: true }

/** A child process with an inbox. */
export interface InboxChild {
  /** Resolves with the first message, earlier or later, that passes the test. */
  message(test: (message: ProcessMessage) => boolean): Promise<ProcessMessage>
  readonly messages: readonly ProcessMessage[]
  signal(signal: NodeJS.Signals): void
  /** Kills the process with SIGKILL and waits until it is gone. */
  kill(): Promise<void>
  /** Resolves when the process has ended by itself. */
  ended(): Promise<void>
}

export function startInboxProcess(
  plan: ProcessPlan,
  onMessage?: (message: ProcessMessage) => void,
): InboxChild {
  const { child, gone } = startProgram(new URL('./inbox-process.ts', import.meta.url), plan)
  const messages: ProcessMessage[] = []
  child.on('message', (message: ProcessMessage) => {
    messages.push(message)
    onMessage?.(message)
  })
  return {
    messages,
    async message(test) {
      const known = messages.find(test)
      if (known !== undefined) return known
      return await nextMessage(child, gone, test)
    },
    signal: (signal) => void child.kill(signal),
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
    ended: async () => void (await gone),
  }
}

async function nextMessage(
  child: ChildProcess,
  gone: Promise<unknown>,
  test: (message: ProcessMessage) => boolean,
): Promise<ProcessMessage> {
  return await new Promise((resolve, reject) => {
    child.on('message', function listener(message: ProcessMessage) {
      if (!test(message)) return
      child.off('message', listener)
      resolve(message)
    })
    void gone.then(() => reject(new Error('The process ended without that message.')))
  })
}

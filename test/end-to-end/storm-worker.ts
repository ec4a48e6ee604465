import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { InboxPlace } from '../contracts/open-inbox.ts'

export interface StormPlan {
  readonly place: InboxPlace
  /** The database of the application, and the schema of its tables. */
  readonly database: { readonly url: string; readonly schema: string }
  readonly service: { readonly url: string; readonly clientId: string; readonly clientSecret: string }
  /** Whether the handlers act on what is true now, and name the fact, or trust the notification. */
  readonly handler: 'current' | 'trusting'
}

export interface StormWorker {
  /** Whether a handler has begun. */
  isAtWork(): boolean
  /** Kills the process with SIGKILL and waits until it is gone. */
  kill(): Promise<void>
}

/** Below which the sandbox has its payments. */
export const RESOURCES = '/svc/v1.2'

/** Starts a process that handles notifications. */
export function startStormWorker(plan: StormPlan): StormWorker {
  const child = fork(new URL('./storm-process.ts', import.meta.url), [JSON.stringify(plan)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  const gone = once(child, 'close')
  let isAtWork = false
  child.once('message', () => {
    isAtWork = true
  })
  return {
    isAtWork: () => isAtWork,
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
  }
}

export function parseStormPlan(text: string | undefined): StormPlan {
  if (text === undefined) throw new TypeError('The plan is missing.')
  return JSON.parse(text)
}

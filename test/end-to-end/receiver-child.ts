import { fork } from 'node:child_process'
import { once } from 'node:events'

/** What the application in its own process needs to know. */
export interface ApplicationPlan {
  readonly port: number
  readonly clientId: string
  readonly callbackToken: string
  /** The SQLite file of its inbox. */
  readonly inboxPath: string
  /** Where its handlers note what they have handled, a line each. */
  readonly journal: string
}

/** An application with a receiver, in a process of its own. */
export interface Application {
  readonly port: number
  /** Ends it as a loss of power would end the process, and waits until it is gone. */
  kill(): Promise<void>
  /** Lets it finish what it is handling. */
  stop(): Promise<void>
}

/** Starts the application and waits until it listens. */
export async function startApplication(plan: ApplicationPlan): Promise<Application> {
  const child = fork(new URL('./receiver-process.ts', import.meta.url), [JSON.stringify(plan)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  const gone = once(child, 'close')
  const [{ port }] = (await Promise.race([
    once(child, 'message'),
    gone.then(() => Promise.reject(new Error('the application ended before it listened'))),
  ])) as [{ port: number }]
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await gone
  }
  return { port, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') }
}

export function parseApplicationPlan(text: string | undefined): ApplicationPlan {
  if (text === undefined) throw new TypeError('the plan is missing')
  return JSON.parse(text)
}

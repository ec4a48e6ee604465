import { once } from 'node:events'
import { startProgram } from '../contracts/start-program.ts'

/** The settings of the application process. */
export interface ApplicationPlan {
  readonly clientId: string
  readonly callbackToken: string
  /** The SQLite file of its inbox. */
  readonly inboxPath: string
  /** The file to which its handlers append a line for each event. */
  readonly journal: string
}

/** An application with a receiver, in a child process. */
export interface Application {
  readonly port: number
  /** Kills the process with SIGKILL and waits until it is gone. */
  kill(): Promise<void>
  /** Stops it gracefully. */
  stop(): Promise<void>
}

/** Starts the application and waits until it listens. */
export async function startApplication(plan: ApplicationPlan): Promise<Application> {
  const { child, gone } = startProgram(new URL('./receiver-process.ts', import.meta.url), plan)
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

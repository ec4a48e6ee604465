import type { InboxPlace } from '../contracts/open-inbox.ts'
import { startWorker, type Worker } from './start-worker.ts'

export interface StormPlan {
  readonly place: InboxPlace
  /** The database of the application, and the schema of its tables. */
  readonly database: { readonly url: string; readonly schema: string }
  readonly service: { readonly url: string; readonly clientId: string; readonly clientSecret: string }
  /** Whether the handlers act on what is true now, and name the fact, or trust the notification. */
  readonly handler: 'current' | 'trusting'
}

/** Below which the sandbox has its payments. */
export const RESOURCES = '/svc/v1.2'

/** Starts a process that handles notifications. */
export function startStormWorker(plan: StormPlan): Worker {
  return startWorker(new URL('./storm-process.ts', import.meta.url), plan)
}

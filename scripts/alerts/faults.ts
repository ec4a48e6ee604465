import type { Inbox } from '../../src/inbox/inbox.ts'
import { reconcile, sign } from '../../src/index.ts'
import type { RedisServer } from '../../test/contracts/redis-server.ts'
import type { Load } from './load.ts'
import type { MonitoredApplication } from './monitored-application.ts'

/** What the faults act on. */
export interface Monitored {
  readonly clientId: string
  readonly redis: RedisServer
  /** Two processes that share an inbox. */
  readonly applications: readonly [MonitoredApplication, MonitoredApplication]
  readonly inbox: Inbox
  readonly load: Load
  /** Makes the handlers of this payment, or of all, wait or throw. */
  readonly handlers: { hangFor?: string | undefined; fail: boolean }
}

export interface Fault {
  readonly name: string
  /** The alerts that have to fire. Others may. */
  readonly alerts: readonly string[]
  /** What to show of the metrics. */
  readonly metric: string
  /** @returns what ends it */
  cause(monitored: Monitored): Promise<() => Promise<unknown>>
}

/** In this order: before silence is unusual, there has to be a past. */
export const FAULTS: readonly Fault[] = [
  {
    name: 'Redis is killed',
    alerts: ['PayhookInboxUnavailable', 'PayhookReplies5xx'],
    metric: 'min(payhook_inbox_up)',
    async cause({ redis }) {
      await redis.stop()
      return () => redis.start()
    },
  },
  {
    name: 'No process listens',
    alerts: ['PayhookMetricsMissing'],
    metric: 'absent(payhook_notifications_total)',
    async cause({ applications }) {
      for (const application of applications) await application.unlisten()
      return () => Promise.all(applications.map((application) => application.listen()))
    },
  },
  {
    name: 'A handler hangs',
    alerts: ['PayhookHandlerHangs'],
    metric: 'max(payhook_inbox_oldest_age{payhook_state="active"})',
    async cause({ handlers, load }) {
      handlers.hangFor = '48121'
      await load.send('48121')
      return async () => {
        handlers.hangFor = undefined
      }
    },
  },
  {
    name: 'No worker runs',
    alerts: ['PayhookBacklog'],
    metric: 'max(payhook_inbox_oldest_age{payhook_state="waiting"})',
    async cause({ applications }) {
      for (const application of applications) await application.stopWorker()
      return () => Promise.all(applications.map((application) => application.startWorker()))
    },
  },
  {
    name: 'All handlers throw',
    alerts: ['PayhookRetries'],
    metric: 'sum(increase(payhook_inbox_retries_total[15m]))',
    async cause({ handlers }) {
      handlers.fail = true
      return async () => {
        handlers.fail = false
      }
    },
  },
  {
    name: 'A body that cannot be parsed',
    alerts: ['PayhookDead'],
    metric: 'max(payhook_inbox_entries{payhook_state="dead"})',
    async cause({ clientId, applications, inbox }) {
      const body = 'this is no JSON'
      const headers = { 'access-signature': sign({ body, clientId }) }
      await fetch(applications[0].url, { method: 'POST', headers, body })
      return () => inbox.prune({ state: 'dead', olderThan: new Date(Date.now() + 1_000) })
    },
  },
  {
    name: 'Forged signatures',
    alerts: ['PayhookSignaturesRejected'],
    metric: 'sum(increase(payhook_notifications_total{payhook_verdict="signature_mismatch"}[10m]))',
    async cause({ applications }) {
      const forge = async () => {
        const headers = { 'access-signature': sign({ body: '{}', clientId: 'guessed' }) }
        await fetch(applications[0].url, { method: 'POST', headers, body: '{}' })
      }
      const timer = setInterval(() => void forge(), 100)
      return async () => clearInterval(timer)
    },
  },
  {
    name: 'reconcile finds what never came',
    alerts: ['PayhookMissed'],
    metric: 'sum(payhook_reconcile_missed_total)',
    async cause({ clientId, inbox }) {
      const kind = 'INBOUND_PAYMENT_STATUS_UPDATED'
      const list = ['7', '8', '9'].map((id) => ({ kind, data: { id, status: 'Complete' } }))
      const since = new Date(Date.now() - 60_000)
      await reconcile({ inbox, clientId, list, since, graceMs: 0 })
      return async () => {}
    },
  },
  {
    name: 'The client id was changed',
    alerts: ['PayhookNothingAccepted'],
    metric: 'sum(increase(payhook_notifications_total{payhook_verdict="received"}[10m]))',
    async cause({ clientId, load }) {
      load.signWith('another-client-id')
      return async () => load.signWith(clientId)
    },
  },
  {
    name: 'The service falls silent',
    alerts: ['PayhookSilent', 'PayhookUnusuallySilent'],
    metric: 'min(payhook_last_received_age)',
    async cause({ load }) {
      load.pause()
      return async () => load.resume()
    },
  },
]

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { receiveWebhooks } from '../../adapters/http/node.ts'
import { createClient } from '../../src/client/index.ts'
import { createReceiver } from '../../src/index.ts'
import { createSandbox, type Delivery, type Sandbox, type SandboxPayment } from '../../src/sandbox/index.ts'
import { connected } from '../contracts/inbox-store.ts'
import { type InboxPlace, openInbox } from '../contracts/open-inbox.ts'
import { waitFor } from '../contracts/wait-for.ts'
import { createPostgres } from '../effects/recipe-databases.ts'
import { type Crashes, startCrashingWorkers, startWorker } from './crashing-workers.ts'

const KIND = 'INBOUND_PAYMENT_STATUS_UPDATED'
const STATUSES = ['Sent', 'PendingAuth', 'Authorized', 'InProgress', 'Complete'] as const
/** One in so many notifications is captured, and sent again. */
const CAPTURED = 10
/** After so many notifications, the API turns away the next requests. */
const LIMITED = 20
const TURNED_AWAY = 3

/** Below which the sandbox has its payments. */
const RESOURCES = '/svc/v1.2'

/** What a worker gets to know. */
export interface StormPlan {
  readonly place: InboxPlace
  /** The database of the application, and the schema of its tables. */
  readonly database: { readonly url: string; readonly schema: string }
  readonly service: Pick<Sandbox, 'url' | 'clientId' | 'clientSecret'>
  /** Where the service has its payments. */
  readonly resourcePath: string
  /** Whether the handlers act on what is true now, and name the fact, or trust the notification. */
  readonly handler: 'current' | 'trusting'
}

export interface StormOptions extends Crashes, Pick<StormPlan, 'place' | 'handler'> {
  readonly payments: number
  /** The longest delay of a notification. */
  readonly maxDelayMs: number
  /** How long the window for duplicates is. */
  readonly dedupeSeconds: number
  /** How long it takes until the last payment begins. */
  readonly overMs: number
}

export interface StormResult {
  /** Payments whose status in the application's table is that of the service. */
  readonly right: number
  /** Payments that the ledger has exactly once. */
  readonly once: number
  readonly notifications: number
  readonly captured: number
  /** Reads that the API turned away with a 429. */
  readonly turnedAway: number
  readonly dead: number
}

/**
 * Walks payments through their statuses. Their notifications are doubled, reordered, delayed, captured and sent
 * again, the API turns reads away, and workers are killed. Compares what the application has in the end.
 */
export async function storm(options: StormOptions): Promise<StormResult> {
  const { place, handler, dedupeSeconds } = options
  await using sandbox = await createSandbox({
    resourcePath: RESOURCES,
    retryDelayMs: 100,
    attemptTimeoutMs: 60_000,
  })
  await using application = await createApplication()
  await using inbox = await openInbox(place, { oneAtATime: true, dedupeSeconds })
  await connected(inbox)
  const { clientId, clientSecret, url } = sandbox
  const receiver = createReceiver({ clientId, callbackToken: false, inbox })
  const server = createServer(receiveWebhooks(receiver))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const callbackUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  await createClient({ baseUrl: url, clientId, clientSecret }).webhooks.create({ event: KIND, callbackUrl })

  const { database } = application
  const service = { url, clientId, clientSecret }
  const plan: StormPlan = { place, database, service, resourcePath: RESOURCES, handler }
  const workers = startCrashingWorkers(() => startWorker('./storm-process.ts', plan))
  try {
    const weather = makeWeather(sandbox, callbackUrl, options)
    const payments = Array.from({ length: options.payments }, () => sandbox.createPayment())
    const walks = Promise.all(payments.map((payment) => walk(payment, options)))
    const isDrained = async () => {
      // A busy machine may keep an engine waiting for too long.
      const counts = await inbox.counts().catch(() => undefined)
      return counts?.waiting === 0 && counts.active === 0
    }
    await workers.crash(options, isDrained)
    const notifications = (await walks).flat()
    const captured = await weather.end()
    await waitFor(isDrained)
    return {
      ...(await application.compare(payments)),
      notifications: notifications.length,
      captured,
      turnedAway: sandbox.requests().filter(({ status }) => status === 429).length,
      dead: (await inbox.counts()).dead,
    }
  } finally {
    await workers.kill()
    server.close()
    server.closeAllConnections()
  }
}

/** Changes the status of a payment again and again, before its first notifications have arrived. */
async function walk(payment: SandboxPayment, { maxDelayMs, overMs }: StormOptions): Promise<Delivery[]> {
  await delay(Math.random() * overMs)
  const deliveries: Promise<Delivery[]>[] = []
  for (const status of STATUSES) {
    const delayMs = Math.floor(Math.random() * maxDelayMs)
    deliveries.push(payment.setStatus(status, {}, { faults: { delayMs, duplicate: 1, reorder: true } }))
    await delay(Math.random() * (maxDelayMs / STATUSES.length))
  }
  return (await Promise.all(deliveries)).flat()
}

/** Captures notifications to send them again after the window for duplicates, and limits the rate of the API now and then. */
function makeWeather(sandbox: Sandbox, url: string, { maxDelayMs, dedupeSeconds }: StormOptions) {
  const replays: Promise<unknown>[] = []
  let count = 0
  const stop = sandbox.onDelivery(({ state, signature, body }) => {
    if (state === 'pending') return
    count += 1
    if (count % LIMITED === 0)
      sandbox.setFaults({ api: { path: `${RESOURCES}/payments`, status: 429, times: TURNED_AWAY } })
    if (count % CAPTURED !== 0) return
    const again = async () => {
      await delay(dedupeSeconds * 1_000 + Math.random() * maxDelayMs)
      const request = { method: 'POST', body, headers: { 'access-signature': `${signature}` } }
      // A busy machine may keep the inbox waiting for too long.
      await waitFor(async () => (await fetch(url, request)).ok)
    }
    replays.push(again())
  })
  return {
    /** Resolves to how many were captured, once all of them were sent again. */
    async end(): Promise<number> {
      stop()
      await Promise.all(replays)
      return replays.length
    },
  }
}

/** The database of the application, whose ledger has no constraint that would hide what is there twice. */
async function createApplication() {
  const { schema, url, drop } = await createPostgres()
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  await pool.query(
    'create table payments (id text primary key, status text); create table ledger (payment text)',
  )
  return {
    database: { url, schema },
    async compare(payments: readonly SandboxPayment[]) {
      const { rows } = await pool.query('select id, status from payments')
      const statuses = new Map(rows.map(({ id, status }) => [id, status]))
      const ledger = await pool.query('select payment from ledger group by payment having count(*) = 1')
      return {
        right: payments.filter(({ id, data }) => statuses.get(id) === data.status).length,
        once: ledger.rows.length,
      }
    },
    async [Symbol.asyncDispose]() {
      await pool.end()
      await drop()
    },
  }
}

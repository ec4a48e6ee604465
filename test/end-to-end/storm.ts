import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { receiveWebhooks } from '../../adapters/http/node.ts'
import { createClient } from '../../src/client/index.ts'
import { createReceiver } from '../../src/index.ts'
import { createSandbox, type Delivery, type Sandbox, type SandboxPayment } from '../../src/sandbox/index.ts'
import { type InboxPlace, openInbox } from '../contracts/open-inbox.ts'
import { waitFor } from '../contracts/wait-for.ts'
import { createPostgres } from '../effects/recipe-databases.ts'
import { RESOURCES, type StormPlan, startStormWorker } from './storm-worker.ts'

const KIND = 'INBOUND_PAYMENT_STATUS_UPDATED'
const STATUSES = ['Sent', 'PendingAuth', 'Authorized', 'InProgress', 'Complete'] as const
/** One in so many notifications is captured, and sent again. */
const CAPTURED = 10
/** After so many notifications, the API turns away the next requests. */
const LIMITED = 20
const TURNED_AWAY = 3

export interface StormOptions {
  readonly place: InboxPlace
  readonly handler: StormPlan['handler']
  readonly payments: number
  /** The longest delay of a notification. */
  readonly maxDelayMs: number
  /** How long the window for duplicates is. */
  readonly dedupeSeconds: number
  /** How long it takes until the last payment begins. */
  readonly overMs: number
  /** How often workers are killed. */
  readonly rounds: number
  /** Waits until it is time to kill, from when a worker is at work. */
  readonly untilKill: (round: number) => Promise<unknown>
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
  const { clientId, clientSecret, url } = sandbox
  const receiver = createReceiver({ clientId, callbackToken: false, inbox })
  const server = createServer(receiveWebhooks(receiver))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const callbackUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  await createClient({ baseUrl: url, clientId, clientSecret }).webhooks.create({ event: KIND, callbackUrl })

  const { database } = application
  const start = () => startStormWorker({ place, database, service: { url, clientId, clientSecret }, handler })
  const workers = [start(), start()]
  try {
    const weather = makeWeather(sandbox, callbackUrl, options)
    const payments = Array.from({ length: options.payments }, () => sandbox.createPayment())
    const walks = Promise.all(payments.map((payment) => walk(payment, options)))
    const isDrained = async () => {
      const { waiting, active } = await inbox.counts()
      return waiting + active === 0
    }
    for (let round = 0; round < options.rounds; round++) {
      await waitFor(async () => workers.some((worker) => worker.isAtWork()) || (await isDrained()))
      await options.untilKill(round)
      // Sometimes one survives, which has to go on with what the other one held.
      const killed = round % 3 === 2 ? [round % 2] : [0, 1]
      await Promise.all(killed.map((index) => workers[index]?.kill()))
      for (const index of killed) workers[index] = start()
    }
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
    await Promise.all(workers.map((worker) => worker.kill()))
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
      const { ok } = await fetch(url, {
        method: 'POST',
        body,
        headers: { 'access-signature': `${signature}` },
      })
      if (!ok) throw new Error('a captured notification was not accepted')
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

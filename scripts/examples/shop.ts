import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { waitFor } from '../../test/contracts/wait-for.ts'
import { equal } from '../package/consumer-project.ts'
import { stop, urlOf } from './check-notifications.ts'
import type { Trial } from './trial.ts'

const DATABASE_URL = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test'
const SCHEMA = `payhook_shop_${process.pid}`
const PAID = { amount: { number: '1250.50', currency: 'USD' } }

/** Its own tests, then the server and its job: what was sent twice is posted once, and what never came is found. */
export async function checkShop({ sandbox, npmRun }: Trial): Promise<void> {
  const env = { DATABASE_URL, SCHEMA, GRACE_MS: '0' }
  const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 1 })
  try {
    for (const script of ['types', 'test']) equal(await npmRun(script, env).ended, 0)

    equal(await npmRun('start', env).ended, 1) // without PUBLIC_URL
    const PORT = await findFreePort()
    const server = npmRun('start', { ...env, PORT, PUBLIC_URL: `http://127.0.0.1:${PORT}` })
    const webhooks = await urlOf(server)
    await server.waitFor(/^1 created/m)
    const isPosted = async (id: string) =>
      (await getJson(new URL(`/orders/${id}`, webhooks))).status === 'paid'

    const payment = sandbox.createPayment(PAID)
    await order(webhooks, payment.id)
    sandbox.setFaults({ duplicate: 1 })
    await payment.walk()
    await waitFor(() => isPosted(payment.id))
    sandbox.setFaults({ drop: true })
    const lost = sandbox.createPayment(PAID)
    await order(webhooks, lost.id)
    await lost.setStatus('Complete')
    const job = npmRun('reconcile', env)
    await job.waitFor(/ 1 missed, 1 recovered/)
    equal(await job.ended, 0)
    await waitFor(() => isPosted(lost.id))

    const { rows } = await pool.query(`select payment_id from ${SCHEMA}.ledger order by posted_at`)
    equal(
      rows.map((row) => row.payment_id),
      [payment.id, lost.id],
    )
    equal((await getJson(new URL('/health', webhooks))).status, 'pass')
    await stop(server)
  } finally {
    await pool.query(`drop schema if exists ${SCHEMA} cascade; drop schema if exists ${SCHEMA}_inbox cascade`)
    await pool.end()
  }
}

async function findFreePort(): Promise<string> {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await once(server.close(), 'close')
  return String(port)
}

async function order(base: string, paymentId: string): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ paymentId, total: '1250.50', currency: 'USD' })
  const { status } = await fetch(new URL('/orders', base), { method: 'POST', headers, body })
  equal(status, 201)
}

async function getJson(url: URL) {
  return JSON.parse(await (await fetch(url)).text())
}

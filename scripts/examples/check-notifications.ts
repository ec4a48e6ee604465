import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { withTimeLimit } from '../../src/time-limit.ts'
import { waitFor } from '../../test/contracts/wait-for.ts'
import { equal } from '../package/consumer-project.ts'
import type { Running } from '../running.ts'
import type { Effects } from './ledger.ts'
import type { Trial } from './trial.ts'

const KIND = 'INBOUND_PAYMENT_STATUS_UPDATED'
const GOOD = '9007199254740993' // JavaScript would make it …992
export const TWICE = '48122'
const FORGED = '48123'
const FAILING = '48124'
const UNFIT = '48126'

export interface Expected {
  /** How often a notification that arrives twice is handled. @default 1 */
  readonly duplicates?: number
}

/** Sends a good notification, a duplicate, a forged one, and one whose handler fails at first. */
export async function checkNotifications(
  { sandbox }: Trial,
  effects: Effects,
  { duplicates = 1 }: Expected = {},
): Promise<void> {
  const send = async (id: string, faults = {}) => {
    const deliveries = await sandbox.trigger(KIND, { id, status: 'Complete' }, { faults })
    return deliveries.map(({ attempts }) => attempts.map(({ status }) => status).join(' '))
  }
  const handled = (id: string, times: number) => waitFor(async () => (await effects.count(id)) >= times)

  equal(await send(GOOD), ['200'])
  await handled(GOOD, 1)
  equal(await send(TWICE, { duplicate: 1 }), ['200', '200'])
  equal(await send(FORGED, { signature: 'wrong' }), ['401 401 401'])
  await effects.failOnce(FAILING)
  equal(await send(FAILING), ['200'])
  await handled(FAILING, 1)
  await handled(TWICE, duplicates)
  const counts = await Promise.all([GOOD, TWICE, FORGED, FAILING].map((id) => effects.count(id)))
  equal(counts, [1, duplicates, 0, 1])
}

/** The handler that failed called the ledger again, with the key of its first call. */
export function checkRetry({ ledger }: Trial): void {
  const [first, second, ...more] = ledger.keys(FAILING)
  equal([typeof first, second === first, more.length], ['string', true, 0])
}

/** An old status that is repeated, or comes, after a newer one leaves the newer one. */
export async function checkReadBack({ sandbox, ledger }: Trial): Promise<void> {
  const payment = sandbox.createPayment()
  await ledger.failOnce(payment.id)
  await payment.setStatus('Sent')
  await waitFor(() => ledger.keys(payment.id).length >= 1)
  await payment.setStatus('Complete')
  await waitFor(async () => (await ledger.count(payment.id)) === 2)
  await sandbox.trigger(KIND, { id: payment.id, status: 'InProgress' })
  await waitFor(async () => (await ledger.count(payment.id)) === 3)
  equal(ledger.status(payment.id), 'Complete')
}

/** An API that is behind its own notification is read again, also if the payment has ended before. */
export async function checkBehind({ sandbox, ledger }: Trial): Promise<void> {
  const payment = sandbox.createPayment({ status: 'Complete' })
  await sandbox.trigger(KIND, { id: payment.id, status: 'Reversed' })
  await waitFor(() => sandbox.requests().some(({ path }) => path.endsWith(`/${payment.id}`)))
  sandbox.setFaults({ drop: true })
  await payment.setStatus('Reversed')
  sandbox.setFaults({})
  await waitFor(() => ledger.keys(payment.id).length > 0)
  equal(ledger.status(payment.id), 'Reversed')
}

/** What the API returns in another shape fails the attempt, and is not passed on. */
export async function checkShape({ sandbox, ledger }: Trial, ...programs: Running[]): Promise<void> {
  const { id } = sandbox.createPayment({ status: null })
  const data = JSON.stringify({ id, status: 'Complete' })
  await sandbox.trigger(KIND, undefined, { body: JSON.stringify({ type: KIND, data }) })
  await Promise.any(programs.map((program) => program.waitFor(/must be a string/)))
  equal(ledger.keys(id), [])
}

/** What cannot be read is kept, although its kind has a handler. */
export async function checkKept({ sandbox }: Trial, server: Running): Promise<void> {
  await sandbox.trigger(KIND, { id: UNFIT, amount: { number: '1,250.50', currency: 'USD' } })
  await server.waitFor(/gave up on/)
}

/** The address of a server that printed its port. */
export async function urlOf(server: Running): Promise<string> {
  const [, port] = await server.waitFor(/(?:listening on|ready on|local:) +(?:port |http:\/\/[^ ]+:)(\d+)/i)
  return `http://127.0.0.1:${port}/webhooks`
}

/** Stops a server while requests come on connections that stay open, such as a proxy's. */
export async function stopBusy(server: Running, exitCode: number | null, url: string): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 20 })
  const post = async () => {
    const [response] = await once(request(url, { agent, method: 'POST' }).end(), 'response')
    await once(response.resume(), 'end')
  }
  const postUntilItFails = async (): Promise<void> => post().then(postUntilItFails, () => {})
  const busy = Promise.all(Array.from({ length: 20 }, postUntilItFails))
  const late = () => new Error('it does not end while connections are in use')
  await withTimeLimit(stop(server, exitCode), 30_000, late)
  await busy
}

/** Stops a server as systemd and Kubernetes do. */
export async function stop(server: Running, exitCode: number | null = 0): Promise<void> {
  server.kill('SIGTERM')
  equal(await server.ended, exitCode)
}

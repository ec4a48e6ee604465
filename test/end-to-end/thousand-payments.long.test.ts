import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { withCallbackToken } from '../../src/index.ts'
import { createSandbox, type Delivery, type Sandbox } from '../../src/sandbox/index.ts'
import { startProgram } from '../contracts/start-program.ts'
import { waitFor } from '../contracts/wait-for.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import type { ApplicationPlan } from './receiver-process.ts'

const PAYMENTS = 1_000
const STATUSES = ['Authorized', 'InProgress', 'Complete']
const KINDS = ['OUTBOUND_PAYMENT_STATUS_UPDATED', 'INBOUND_PAYMENT_STATUS_UPDATED'] as const
const callbackToken = 'a-token-that-only-the-service-knows'

let sandbox: Sandbox | undefined
let application: ReturnType<typeof startApplication> | undefined
/** While the application restarts, connections wait here, as the service tries only a few times. */
const gate = createServer(async (client) => {
  client.on('error', () => {})
  const upstream = connect((await application)?.port ?? 0, '127.0.0.1')
  upstream.on('error', () => {})
  upstream.on('close', () => client.destroy())
  client.on('close', () => upstream.destroy())
  client.pipe(upstream).pipe(client)
})

afterEach(async () => {
  await sandbox?.close()
  await (await application)?.end('SIGTERM')
  gate.close()
})

it('handles every notification of 1,000 payments despite duplicates, reordering and two crashes', async () => {
  const folder = temporaryFolder()
  const journal = join(folder, 'journal.txt')
  writeFileSync(journal, '')
  const service = await createSandbox({ retryDelayMs: 100, attemptTimeoutMs: 60_000 })
  sandbox = service
  const plan = { clientId: service.clientId, callbackToken, inboxPath: join(folder, 'inbox.db'), journal }
  application = startApplication(plan)
  gate.listen(0, '127.0.0.1')
  await once(gate, 'listening')
  const { port } = gate.address() as AddressInfo

  const { url: baseUrl, clientId, clientSecret } = service
  const client = createClient({ baseUrl, clientId, clientSecret })
  const callbackUrl = withCallbackToken(`http://127.0.0.1:${port}/webhooks`, callbackToken)
  const desired = KINDS.map((event) => ({ event, callbackUrl }))
  expect((await client.webhooks.sync(desired)).created).toHaveLength(2)
  expect((await client.webhooks.sync(desired)).unchanged).toHaveLength(2)

  service.setFaults({ duplicate: 1, reorder: true })
  // Half are outbound, half inbound.
  const walks = Array.from({ length: PAYMENTS }, (_, index) => {
    const sides =
      index % 2 === 0 ? { payerAccountId: service.accountId, payeeAccountId: service.users[0].accountId } : {}
    return service.createPayment(sides).walk(STATUSES)
  })

  const handled = () => readFileSync(journal, 'utf8').split('\n').slice(0, -1)
  const restart = async (running: ReturnType<typeof startApplication>) => {
    await (await running).end('SIGKILL')
    return await startApplication(plan)
  }
  for (const share of [0.25, 0.6]) {
    await waitFor(() => handled().length >= PAYMENTS * STATUSES.length * share)
    application = restart(application)
  }

  const deliveries = (await Promise.all(walks)).flat()
  const sent = new Set(deliveries.map(({ signature }) => signature))
  expect(sent.size).toBe(PAYMENTS * STATUSES.length)
  expect(deliveries).toHaveLength(2 * sent.size)
  expect(deliveries.filter(({ state }) => state !== 'delivered')).toEqual([])
  expect(deliveries.some(({ attempts }) => attempts.length > 1)).toBe(true)
  for (const kind of KINDS) expect(deliveries.filter((one) => one.kind === kind)).toHaveLength(sent.size)
  expect(countOutOfOrder(deliveries)).toBeGreaterThan(PAYMENTS / 2)

  await waitFor(() => new Set(handled()).size === sent.size)
  const lines = handled()
  expect(new Set(lines.map((line) => line.split(' ')[0]))).toEqual(sent)
  // Only notifications that were active when the process was killed are handled again: ten at a time.
  expect(lines.length - sent.size).toBeLessThanOrEqual(2 * 10)
})

/** Starts the application in a process of its own, and waits until it listens. */
async function startApplication(plan: ApplicationPlan) {
  const { child, gone } = startProgram(new URL('./receiver-process.ts', import.meta.url), plan)
  const died = gone.then(() => Promise.reject(new Error('the application ended before it listened')))
  const [{ port }] = (await Promise.race([once(child, 'message'), died])) as [{ port: number }]
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await gone
  }
  return { port, end }
}

/** How many payments had a status sent before an earlier one. */
function countOutOfOrder(deliveries: readonly Delivery[]): number {
  const firsts = new Map<string, number[]>()
  for (const { body, attempts } of deliveries) {
    const { id, status } = JSON.parse(JSON.parse(body).data)
    const times = firsts.get(id) ?? STATUSES.map(() => Number.POSITIVE_INFINITY)
    const place = STATUSES.indexOf(status)
    times[place] = Math.min(Number(times[place]), Number(attempts[0]?.startedAt))
    firsts.set(id, times)
  }
  return [...firsts.values()].filter((times) =>
    times.some((time, place) => place > 0 && time < Number(times[place - 1])),
  ).length
}

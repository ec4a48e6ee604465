import { expect, it, onTestFinished } from 'vitest'
import { receiveWebhooks } from '../../adapters/http/node.ts'
import { createClient } from '../../src/client/index.ts'
import type { Inbox } from '../../src/inbox/inbox.ts'
import { createReceiver, type ReconcileItem, reconcile } from '../../src/index.ts'
import type { Delivery, Sandbox } from '../../src/sandbox/index.ts'
import { spawnPayhook } from '../cli/payhook-process.ts'
import { describeOnEngines, type TestInbox } from '../cli/test-inboxes.ts'
import { listen } from '../contracts/listen.ts'
import { settled } from '../contracts/settled.ts'
import { waitFor } from '../contracts/wait-for.ts'
import { openSandbox } from '../sandbox/open-sandbox.ts'

const KIND = 'INBOUND_PAYMENT_STATUS_UPDATED'
const PAYMENTS = 1_000
const DROPPED = PAYMENTS / 10
const NEVER_SENT = { attempts: [{ drop: true }, { drop: true }, { drop: true }] }

interface World {
  readonly sandbox: Sandbox
  readonly inbox: Inbox
  /** The ids of the payments, each as often as its handler ran. */
  readonly handled: string[]
  /** Lists the payments by the sandbox's API. */
  list(): AsyncGenerator<ReconcileItem>
}

/** Completes a new payment. Of every tenth, no notification is sent. */
async function completePayment(sandbox: Sandbox, index: number): Promise<Delivery[]> {
  const faults = index % 10 === 0 ? NEVER_SENT : {}
  return await sandbox.createPayment().setStatus('Complete', {}, { faults })
}

/** A sandbox, and an application that handles the payments which the sandbox says are Complete. */
async function createWorld({ open }: TestInbox): Promise<World> {
  const sandbox = await openSandbox({ retryDelayMs: 1, resourcePath: '/svc/v1.0' })
  const { clientId, clientSecret } = sandbox
  const inbox = await open({ keepCompletedSeconds: 7 * 86_400 })
  const receiver = createReceiver({ clientId, inbox })
  const handled: string[] = []
  receiver.on(KIND, ({ data }) => void handled.push(data.id))
  const server = await listen(receiveWebhooks(receiver))
  onTestFinished(() => void server.close())
  await receiver.start()
  const client = createClient({ baseUrl: sandbox.url, clientId, clientSecret })
  await client.webhooks.create({ event: KIND, callbackUrl: `http://127.0.0.1:${server.port}/` })
  return {
    sandbox,
    inbox,
    handled,
    async *list() {
      for (let pageNumber = 0, last = false; !last; pageNumber++) {
        const query = { pageNumber, pageSize: 200 }
        const page = await client.request({ method: 'GET', path: '/svc/v1.0/payments', query })
        for (const data of (page as { content: unknown[] }).content) yield { kind: KIND, data }
        last = (page as { last: boolean }).last
      }
    },
  }
}

await describeOnEngines('reconcile', (createPlace) => {
  it('recovers each of the payments that never came, though it is killed', async () => {
    const place = createPlace()
    const { sandbox, inbox, handled, list } = await createWorld(place)
    const deliveries = await Promise.all(
      Array.from({ length: PAYMENTS }, (_, index) => completePayment(sandbox, index)),
    )
    expect(deliveries.flat().filter(({ state }) => state !== 'delivered')).toHaveLength(DROPPED)
    await settled(inbox, { completed: PAYMENTS - DROPPED })

    const lines = await Array.fromAsync(list(), (item) => `${JSON.stringify(item)}\n`)
    const args = ['inbox', 'reconcile', place.url, '--from', '-', '--grace', '10ms', '--keep-completed', '7d']
    const killed = spawnPayhook(args)
    killed.child.stdin.on('error', () => {})
    // It gets only a part of the list, so it is not done when it is killed.
    killed.child.stdin.write(lines.slice(0, PAYMENTS * 0.6).join(''))
    await waitFor(() => {
      expect(killed.child.exitCode).toBeNull()
      // It stores what is due when it reads another line.
      killed.child.stdin.write(lines[0])
      return handled.length > PAYMENTS - DROPPED
    })
    await killed.stop('SIGKILL')
    const recovered = async () => {
      const entries = await Array.fromAsync(inbox.entries())
      return entries.filter(({ source }) => source === 'reconcile').length
    }
    expect(await recovered()).toBeLessThan(DROPPED)

    const options = { inbox, clientId: sandbox.clientId, graceMs: 10 }
    expect(await reconcile({ ...options, list: list() })).toMatchObject({ checked: PAYMENTS })
    await settled(inbox, { completed: PAYMENTS })
    expect(await recovered()).toBe(DROPPED)
    expect(new Set(handled).size).toBe(PAYMENTS)
    expect(handled).toHaveLength(PAYMENTS)
    expect(await reconcile({ ...options, list: list() })).toMatchObject({ checked: PAYMENTS, missed: 0 })
  })

  it('handles nothing twice beside live traffic and another run', async () => {
    const place = createPlace()
    const { sandbox, inbox, handled, list } = await createWorld(place)
    const other = await place.open({ keepCompletedSeconds: 7 * 86_400 })
    let left = 300
    const changeOne = async () => {
      while (left-- > 0) await completePayment(sandbox, left)
    }
    const traffic = Promise.all(Array.from({ length: 10 }, changeOne))
    const options = { clientId: sandbox.clientId, graceMs: 4_000 }
    // Both list while payments are on their way, and look again at the same time.
    await waitFor(() => handled.length >= 50)
    const runs = [inbox, other].map((each) => reconcile({ ...options, inbox: each, list: list() }))
    await traffic
    const [first, second] = await Promise.all(runs)
    expect(Number(first?.recovered) + Number(second?.recovered)).toBeGreaterThan(0)
    await reconcile({ ...options, inbox, list: list(), graceMs: 0 })
    await settled(inbox, { completed: 300 })
    expect(new Set(handled).size).toBe(300)
    expect(handled).toHaveLength(300)
  })
})

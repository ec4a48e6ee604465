import { waitFor } from '../../test/contracts/wait-for.ts'
import { equal } from '../package/consumer-project.ts'
import type { Running } from '../running.ts'
import type { Effects } from './ledger.ts'
import type { Trial } from './trial.ts'

const KIND = 'INBOUND_PAYMENT_STATUS_UPDATED'
const GOOD = '9007199254740993' // JavaScript would make it …992
const TWICE = '48122'
const FORGED = '48123'
const FAILING = '48124'

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

/** The address of a server that printed its port. */
export async function urlOf(server: Running): Promise<string> {
  const [, port] = await server.waitFor(/(?:listening on|ready on|local:) +(?:port |http:\/\/[^ ]+:)(\d+)/i)
  return `http://127.0.0.1:${port}/webhooks`
}

/** Stops a server as systemd and Kubernetes do. */
export async function stop(server: Running, exitCode: number | null = 0): Promise<void> {
  server.kill('SIGTERM')
  equal(await server.ended, exitCode)
}

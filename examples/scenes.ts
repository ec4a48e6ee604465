import type { WebhookEvent } from '../src/index.ts'
import { EVENT_KINDS } from '../src/index.ts'
import type { Delivery, Sandbox } from '../src/sandbox/index.ts'
import type { Outcomes } from './outcomes.ts'

/** The result of one notification. */
export interface Row {
  readonly scene: string
  readonly kind: string
  readonly id: string | undefined
  readonly status: string | undefined
  readonly amount: string | undefined
  /** How often the service sent it. */
  readonly copies: number
  /** The response to each attempt of each copy, in order. */
  readonly responses: readonly string[]
  readonly timesHandled: number
  readonly asExpected: boolean
}

/** A scenario of the service. */
export interface Scene {
  readonly name: string
  /** How often each of its notifications must be handled. */
  readonly handled: 0 | 1
  play(sandbox: Sandbox): Promise<Delivery[]>
}

const INBOUND = 'INBOUND_PAYMENT_STATUS_UPDATED'

/** A payment that changes its status, with reordered notifications. */
export const PAYMENT_SCENE: Scene = {
  name: 'out of order',
  handled: 1,
  play: (sandbox) => sandbox.createPayment().walk(undefined, { faults: { reorder: true } }),
}

export const SCENES: readonly Scene[] = [
  ...EVENT_KINDS.map(
    (kind): Scene => ({ name: 'every kind', handled: 1, play: (sandbox) => sandbox.trigger(kind) }),
  ),
  {
    name: 'long numbers',
    handled: 1,
    play: (sandbox) => sandbox.trigger(INBOUND, { id: 9223372036854775807n }),
  },
  PAYMENT_SCENE,
  {
    name: 'sent three times',
    handled: 1,
    play: (sandbox) => sandbox.trigger(INBOUND, {}, { faults: { duplicate: 2 } }),
  },
  {
    name: 'wrong signature',
    handled: 0,
    play: (sandbox) => sandbox.trigger(INBOUND, {}, { faults: { signature: 'wrong' } }),
  },
  {
    name: 'no signature',
    handled: 0,
    play: (sandbox) => sandbox.trigger(INBOUND, {}, { faults: { signature: 'missing' } }),
  },
  {
    name: 'truncated',
    handled: 0,
    play: (sandbox) => sandbox.trigger(INBOUND, {}, { faults: { truncate: true } }),
  },
  {
    name: 'dropped',
    handled: 0,
    play: (sandbox) => sandbox.trigger(INBOUND, {}, { faults: { drop: true } }),
  },
]

/** Plays scenes in the sandbox, and yields the result of each notification. */
export async function* playScenes(
  sandbox: Sandbox,
  outcomes: Outcomes,
  scenes: readonly Scene[],
): AsyncGenerator<Row> {
  for (const { name, handled, play } of scenes) {
    const deliveries = (await play(sandbox)).sort((left, right) => sentAt(left) - sentAt(right))
    const notifications = Map.groupBy(deliveries, ({ signature }) => signature)
    for (const [signature, copies] of notifications) {
      const arrived = copies.some(({ state }) => state === 'delivered')
      const event = arrived ? await outcomes.of(signature) : undefined
      const timesHandled = outcomes.timesHandled(signature)
      yield {
        scene: name,
        kind: copies[0]?.kind ?? '',
        ...describe(event),
        copies: copies.length,
        responses: copies.flatMap(({ attempts }) =>
          attempts.map(({ status, error }) => String(status ?? error)),
        ),
        timesHandled,
        asExpected: timesHandled === handled,
      }
    }
  }
}

function sentAt({ attempts }: Delivery): number {
  return attempts[0]?.startedAt.getTime() ?? 0
}

function describe(event: WebhookEvent | undefined): Pick<Row, 'id' | 'status' | 'amount'> {
  const { id, status, amount } = (event?.data ?? {}) as Record<string, unknown>
  const { number, currency } = (amount ?? {}) as Record<string, unknown>
  return {
    id: id === undefined ? undefined : String(id),
    status: typeof status === 'string' ? status : undefined,
    amount: number === undefined ? undefined : `${number} ${currency}`,
  }
}

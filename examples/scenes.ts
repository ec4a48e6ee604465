import type { WebhookEvent } from '../src/index.ts'
import { EVENT_KINDS } from '../src/index.ts'
import type { Delivery, Sandbox } from '../src/sandbox/index.ts'
import { handled as untilHandled } from '../src/testing/index.ts'
import type { Application } from './application.ts'

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
  /** When its handler ran, in milliseconds from the first of the scenario; `undefined` if it did not. */
  readonly handledMs: readonly [from: number, to: number] | undefined
  /** How often its line is in the ledger. */
  readonly timesWritten: number
  readonly asExpected: boolean
}

/** A scenario of the service. */
export interface Scene {
  readonly name: string
  /** How often each of its notifications must be handled. */
  readonly handled: 0 | 1
  play(sandbox: Sandbox, application: Application): Promise<Delivery[]>
}

const INBOUND = 'INBOUND_PAYMENT_STATUS_UPDATED'

/** A payment that changes its status, with reordered notifications. */
export const PAYMENT_SCENE: Scene = {
  name: 'out of order',
  handled: 1,
  play: (sandbox) => sandbox.createPayment().walk(undefined, { faults: { reorder: true } }),
}

/** All notifications of a payment at the same moment, with those of three others. */
const AT_ONCE_SCENE: Scene = {
  name: 'at once',
  handled: 1,
  async play(sandbox) {
    const payment = sandbox.createPayment().walk()
    const others = sandbox.trigger(INBOUND, {}, { faults: { burst: 3 } })
    return (await Promise.all([payment, others])).flat()
  },
}

/** A crash after the handlers have written, and before the inbox knows. */
const CRASH_SCENE: Scene = {
  name: 'crash',
  handled: 1,
  play(sandbox, { ledger }) {
    ledger.crashOnce()
    return sandbox.trigger(INBOUND)
  },
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
  AT_ONCE_SCENE,
  CRASH_SCENE,
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
  application: Application,
  scenes: readonly Scene[],
): AsyncGenerator<Row> {
  const { inbox, ledger, outcomes } = application
  for (const { name, handled, play } of scenes) {
    const deliveries = await play(sandbox, application)
    await untilHandled(inbox)
    const notifications = Map.groupBy(deliveries, ({ signature }) => signature)
    const beganAt = (signature: string) => outcomes.get(signature)?.beganAt ?? 0
    const sorted = [...notifications].sort(([left], [right]) => beganAt(left) - beganAt(right))
    const start = beganAt(sorted[0]?.[0] ?? '')
    for (const [signature, copies] of sorted) {
      const outcome = outcomes.get(signature)
      const timesHandled = outcome?.times ?? 0
      const timesWritten = ledger.count(signature)
      yield {
        scene: name,
        kind: copies[0]?.kind ?? '',
        ...describe(outcome?.event),
        copies: copies.length,
        responses: copies.flatMap(({ attempts }) =>
          attempts.map(({ status, error }) => String(status ?? error)),
        ),
        timesHandled,
        handledMs: outcome && [Math.round(outcome.beganAt - start), Math.round(outcome.endedAt - start)],
        timesWritten,
        asExpected: timesHandled === handled && timesWritten === handled && outcome?.alone !== false,
      }
    }
  }
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

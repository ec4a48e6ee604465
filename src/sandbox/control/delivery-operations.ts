import { invalid, notFound } from '../http-error.ts'
import type { RedeliverOptions, Sandbox, TriggerOptions } from '../sandbox.ts'
import type { Deliveries } from '../state/deliveries.ts'
import type { Delivery, DeliveryState, SignedBody } from '../state/delivery.ts'
import type { EventLog } from '../state/event-log.ts'
import type { SandboxState } from '../state/sandbox-state.ts'
import type { DeliveriesJson, StreamEvents } from './control-json.ts'
import { toDeliveryDetail, toDeliverySummary } from './delivery-json.ts'
import type { Call, Operations } from './operations.ts'
import { readGivenBody } from './read-exact-json.ts'

export function deliveryOperations(
  { deliveries }: SandboxState,
  events: EventLog<StreamEvents>,
  sandbox: Sandbox,
) {
  const findByDigits = (digits: string) => {
    const matches = digits.length < 8 ? [] : deliveries.list().filter(({ id }) => id.startsWith(digits))
    if (matches.length > 1)
      throw notFound(`${matches.length} deliveries have an id that begins with ${digits}`)
    return matches[0]
  }
  /** @param id its id, or eight or more of the first digits */
  const find = (id: string) => {
    const found = deliveries.find(id) ?? findByDigits(id)
    if (!found) throw notFound(`There is no delivery ${id}`)
    return found
  }

  return {
    'POST trigger': {
      fields: ['kind', 'data', 'inline', 'accountId', 'faults', 'contentType', 'body', 'bodyBase64'],
      run: async (call) => {
        const { kind, data, bodyBase64: _bodyBase64, accountId, ...options } = call.fields
        const triggerOptions = {
          ...options,
          accountId: typeof accountId === 'number' ? String(accountId) : accountId,
          body: readGivenBody(call.fields),
        } as TriggerOptions
        return await sendDeliveries(call, deliveries, () =>
          sandbox.trigger(kind as string, data as Parameters<Sandbox['trigger']>[1], triggerOptions),
        )
      },
    },
    'GET deliveries': {
      run({ query: { kind, state, search = '', after, limit } }) {
        const filter = { kind: kind || undefined, state: (state || undefined) as DeliveryState | undefined }
        const before = after ? find(after).number : Number.POSITIVE_INFINITY
        const wanted = search.toLowerCase()
        const found = deliveries
          .list(filter)
          .reverse()
          .filter(({ number, body }) => number < before && (!search || holds(body, wanted)))
        const page = found.slice(0, readLimit(limit)).map(toDeliverySummary)
        return { deliveries: page, total: found.length }
      },
    },
    'DELETE deliveries': {
      run() {
        deliveries.clear(deliveries.count)
        events.append('reset', {})
        return {}
      },
    },
    'GET deliveries/:id': { run: ({ id }) => toDeliveryDetail(find(id)) },
    'POST deliveries/:id/redeliver': {
      fields: ['data', 'body', 'bodyBase64'],
      run: async (call) => {
        const { id } = find(call.id)
        const options = { data: call.fields.data, body: readGivenBody(call.fields) } as RedeliverOptions
        return await sendDeliveries(call, deliveries, () => sandbox.redeliver(id, options))
      },
    },
  } satisfies Partial<Operations>
}

function holds({ subject, text }: SignedBody, wanted: string): boolean {
  return subject === wanted || text.toLowerCase().includes(wanted)
}

/** Waits for the deliveries that `work` causes. With `?wait=false`, resolves to those created so far. */
export async function sendDeliveries(
  { isBegun }: Call,
  deliveries: Deliveries,
  work: () => Promise<Delivery[]>,
): Promise<DeliveriesJson> {
  const before = deliveries.count
  const settled = work()
  if (!isBegun) {
    const records = (await settled).flatMap(({ id }) => deliveries.find(id) ?? [])
    return { deliveries: records.map(toDeliverySummary) }
  }
  // Taken at once, before another request adds its own.
  const records = deliveries.list().filter(({ number }) => number >= before)
  // An invalid request is known by now; whatever happens later is seen in the deliveries.
  await Promise.race([settled, new Promise((resolve) => setImmediate(resolve))])
  settled.catch(() => {})
  return { deliveries: records.map(toDeliverySummary) }
}

/** The largest number of records in a list. @default all */
export function readLimit(limit: string | undefined): number | undefined {
  if (!limit) return undefined
  if (!/^[1-9]\d{0,8}$/.test(limit)) throw invalid('"limit" must be a positive integer')
  return Number(limit)
}

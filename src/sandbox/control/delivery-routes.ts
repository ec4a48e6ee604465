import type { Context, Hono } from 'hono'
import type { SandboxCore } from '../delivery/sandbox-core.ts'
import { invalid, notFound } from '../http-error.ts'
import type { RedeliverOptions, Sandbox, TriggerOptions } from '../sandbox.ts'
import type { Deliveries } from '../state/deliveries.ts'
import type { Delivery, DeliveryState, SignedBody } from '../state/delivery.ts'
import type { EventLog } from '../state/event-log.ts'
import type {
  DeliveriesJson,
  DeliveryListJson,
  RedeliverRequestJson,
  StreamEvents,
  TriggerRequestJson,
} from './control-json.ts'
import { toDeliveryDetail, toDeliverySummary } from './delivery-json.ts'
import { readExactJson, readGivenBody } from './read-exact-json.ts'

const TRIGGER_FIELDS = [
  'kind',
  'data',
  'inline',
  'accountId',
  'faults',
  'contentType',
  'body',
  'bodyBase64',
] satisfies (keyof TriggerRequestJson)[]
const REDELIVER_FIELDS = ['data', 'body', 'bodyBase64'] satisfies (keyof RedeliverRequestJson)[]

export function addDeliveryRoutes(
  app: Hono,
  { deliveries }: SandboxCore,
  events: EventLog<StreamEvents>,
  sandbox: Sandbox,
): void {
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

  app.post('/_sandbox/trigger', async (c) => {
    const request = await readExactJson(c.req, TRIGGER_FIELDS)
    const { kind, data, bodyBase64: _bodyBase64, accountId, ...options } = request
    const triggerOptions = {
      ...options,
      accountId: typeof accountId === 'number' ? String(accountId) : accountId,
      body: readGivenBody(request),
    } as TriggerOptions
    return await sendDeliveries(c, deliveries, () =>
      sandbox.trigger(kind as string, data as Parameters<Sandbox['trigger']>[1], triggerOptions),
    )
  })
  app.get('/_sandbox/deliveries', (c) => {
    const { kind, state, search = '', after } = c.req.query()
    const filter = { kind: kind || undefined, state: (state || undefined) as DeliveryState | undefined }
    const before = after ? find(after).number : Number.POSITIVE_INFINITY
    const wanted = search.toLowerCase()
    const found = deliveries
      .list(filter)
      .reverse()
      .filter(({ number, body }) => number < before && (!search || holds(body, wanted)))
    const page = found.slice(0, readLimit(c.req.query('limit'))).map(toDeliverySummary)
    return c.json({ deliveries: page, total: found.length } satisfies DeliveryListJson)
  })
  app.delete('/_sandbox/deliveries', (c) => {
    deliveries.clear(deliveries.count)
    events.append('reset', {})
    return c.json({})
  })
  app.get('/_sandbox/deliveries/:id', (c) => c.json(toDeliveryDetail(find(c.req.param('id')))))
  app.post('/_sandbox/deliveries/:id/redeliver', async (c) => {
    const { id } = find(c.req.param('id'))
    const request = await readExactJson(c.req, REDELIVER_FIELDS)
    const options = { data: request.data, body: readGivenBody(request) } as RedeliverOptions
    return await sendDeliveries(c, deliveries, () => sandbox.redeliver(id, options))
  })
}

function holds({ subject, text }: SignedBody, wanted: string): boolean {
  return subject === wanted || text.toLowerCase().includes(wanted)
}

/**
 * Waits for the deliveries that `work` causes. With `?wait=false`, responds at once with those created so far.
 */
export async function sendDeliveries(
  c: Context,
  deliveries: Deliveries,
  work: () => Promise<Delivery[]>,
): Promise<Response> {
  const before = deliveries.count
  const settled = work()
  if (c.req.query('wait') !== 'false') {
    const records = (await settled)
      .map(({ id }) => deliveries.find(id))
      .filter((record) => record !== undefined)
    return c.json({ deliveries: records.map(toDeliverySummary) } satisfies DeliveriesJson)
  }
  // Taken at once, before another request adds its own.
  const records = deliveries.list().filter(({ number }) => number >= before)
  // An invalid request is known by now; whatever happens later is seen in the deliveries.
  await Promise.race([settled, new Promise((resolve) => setImmediate(resolve))])
  settled.catch(() => {})
  return c.json({ deliveries: records.map(toDeliverySummary) } satisfies DeliveriesJson, 202)
}

/** The largest number of records in a list. @default all */
export function readLimit(limit: string | undefined): number | undefined {
  if (!limit) return undefined
  if (!/^[1-9]\d{0,8}$/.test(limit)) throw invalid('"limit" must be a positive integer')
  return Number(limit)
}

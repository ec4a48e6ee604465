import type { Context } from 'hono'
import type { Delivery } from '../delivery/delivery.ts'
import type { Dispatcher } from '../delivery/dispatcher.ts'
import { toDeliverySummary } from './delivery-json.ts'
import type { DeliveriesJson } from './wire.ts'

/** Answers with the settled deliveries of some work, or with `?wait=false` at once with those known by then. */
export async function answerDeliveries(
  c: Context,
  dispatcher: Dispatcher,
  work: () => Promise<Delivery[]>,
): Promise<Response> {
  const before = dispatcher.count
  const settled = work()
  if (c.req.query('wait') !== 'false') {
    const records = (await settled)
      .map(({ id }) => dispatcher.find(id))
      .filter((record) => record !== undefined)
    return c.json({ deliveries: records.map(toDeliverySummary) } satisfies DeliveriesJson)
  }
  // Taken at once, before another request adds its own.
  const records = dispatcher.since(before)
  // A refusal is known by now; whatever happens later is seen in the deliveries.
  await Promise.race([settled, new Promise((resolve) => setImmediate(resolve))])
  settled.catch(() => {})
  return c.json({ deliveries: records.map(toDeliverySummary) } satisfies DeliveriesJson, 202)
}

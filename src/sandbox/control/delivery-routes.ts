import type { Hono } from 'hono'
import { DELIVERY_STATES, type DeliveryState } from '../delivery/delivery.ts'
import type { DeliveryRecord } from '../delivery/delivery-record.ts'
import type { RedeliverOptions, Sandbox } from '../sandbox.ts'
import type { SandboxCore } from '../sandbox-core.ts'
import { invalid, notFound } from './control-error.ts'
import { toDeliveryDetail, toDeliverySummary } from './delivery-json.ts'
import { readExactJson, readGivenBody } from './read-exact-json.ts'
import { readLimit } from './read-limit.ts'
import { answerDeliveries } from './settled-answer.ts'
import type { DeliveriesJson } from './wire.ts'

/** `deliveries`: list, detail, redeliver. */
export function addDeliveryRoutes(app: Hono, { dispatcher }: SandboxCore, sandbox: Sandbox): void {
  const find = (id: string) => {
    const record = dispatcher.find(id)
    if (!record) throw notFound(`There is no delivery ${id}`)
    return record
  }

  app.get('/_sandbox/deliveries', (c) => {
    const { kind, state, search, after } = c.req.query()
    const limit = readLimit(c.req.query('limit'))
    const newestFirst = dispatcher.records({ kind: kind || undefined, state: readState(state) }).reverse()
    const start = after ? startAfter(newestFirst, find(after)) : 0
    const deliveries = search ? newestFirst.slice(start).filter(hasText(search)) : newestFirst.slice(start)
    return c.json({ deliveries: deliveries.slice(0, limit).map(toDeliverySummary) } satisfies DeliveriesJson)
  })
  app.get('/_sandbox/deliveries/:id', (c) => c.json(toDeliveryDetail(find(c.req.param('id')))))
  app.post('/_sandbox/deliveries/:id/redeliver', async (c) => {
    const { id } = find(c.req.param('id'))
    const request = await readExactJson(c.req, ['data', 'body', 'bodyBase64'])
    const options = { data: request.data, body: readGivenBody(request) } as RedeliverOptions
    return await answerDeliveries(c, dispatcher, () => sandbox.redeliver(id, options))
  })
}

function readState(state: string | undefined): DeliveryState | undefined {
  if (!state) return undefined
  if ((DELIVERY_STATES as readonly string[]).includes(state)) return state as DeliveryState
  throw invalid(`"state" must be one of ${DELIVERY_STATES.join(', ')}`)
}

/** The index after a delivery, which may itself not be in the list. */
function startAfter(newestFirst: readonly DeliveryRecord[], { number }: DeliveryRecord): number {
  const start = newestFirst.findIndex((record) => record.number < number)
  return start < 0 ? newestFirst.length : start
}

function hasText(search: string): (record: DeliveryRecord) => boolean {
  const wanted = search.toLowerCase()
  return ({ body }) => body.toLowerCase().includes(wanted)
}

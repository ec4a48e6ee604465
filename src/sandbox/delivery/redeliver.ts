import { isJsonObject } from '../../json/json-value.ts'
import { parseJsonValue } from '../../json/parse-json.ts'
import { type Checked, type Checks, checkOptions, optional } from '../../option-checks.ts'
import { toEnvelope } from '../../testing/create-notification.ts'
import { parseData } from '../events/parse-overrides.ts'
import type { RedeliverOptions } from '../sandbox.ts'
import { type Delivery, type DeliveryRecord, toBodyBytes } from '../state/delivery.ts'
import type { SandboxCore } from './dispatcher.ts'
import { toOrders } from './to-orders.ts'
import { parseBody } from './trigger.ts'

const REDELIVER_OPTIONS = {
  data: optional(parseData),
  body: optional(parseBody),
} satisfies Checks<RedeliverOptions>

/** @see Sandbox.redeliver */
export async function redeliver(
  id: string,
  options: RedeliverOptions,
  core: SandboxCore,
): Promise<Delivery[]> {
  const { deliveries, configurations, dispatcher } = core
  const record = deliveries.find(id)
  if (!record) throw new TypeError(`"id" must be the id of a delivery, not ${id}`)
  const { kind, configurationId, contentType } = record
  const configuration = configurations.findActive(configurationId)
  if (!configuration) throw new TypeError(`The configuration ${configurationId} of this delivery is Inactive`)
  const body = toBody(record, checkOptions('redeliver', options, REDELIVER_OPTIONS))
  const extras = { contentType, redeliveryOf: id }
  return await dispatcher.deliver(toOrders(core, [{ kind, configuration }], { body }, {}, extras))
}

function toBody(
  record: DeliveryRecord,
  { data, body }: Checked<typeof REDELIVER_OPTIONS>,
): string | Uint8Array {
  if (body !== undefined) {
    if (data !== undefined) throw new TypeError('options must not have both "body" and "data"')
    return body
  }
  if (data === undefined) return toBodyBytes(record.body)
  return toEnvelope(record.kind, data, isInline(record.body.text))
}

function isInline(body: string): boolean {
  try {
    const envelope = parseJsonValue(body)
    return isJsonObject(envelope) && typeof envelope.data === 'object'
  } catch {
    return false
  }
}

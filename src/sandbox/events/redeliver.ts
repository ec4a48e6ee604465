import { isJsonObject } from '../../json/json-value.ts'
import { parseJsonValue } from '../../json/parse-json-value.ts'
import { assertOptions } from '../../option-checks.ts'
import { toEnvelope } from '../../testing/create-notification.ts'
import type { Delivery } from '../delivery/delivery.ts'
import { type DeliveryRecord, toBodyBytes } from '../delivery/delivery-record.ts'
import type { RedeliverOptions } from '../sandbox.ts'
import type { Configurations } from '../state/configurations.ts'
import type { Notifier } from './notifier.ts'
import { parseData } from './parse-overrides.ts'
import { parseBody } from './trigger.ts'

/** @see Sandbox.redeliver */
export async function redeliver(
  record: DeliveryRecord,
  options: RedeliverOptions,
  configurations: Configurations,
  notifier: Notifier,
): Promise<Delivery[]> {
  assertOptions(options, ['data', 'body'])
  const { id, kind, configurationId, contentType } = record
  const configuration = configurations.findActive(configurationId)
  if (!configuration) throw new TypeError(`The configuration ${configurationId} of this delivery is Inactive`)
  const body = toBody(record, options)
  const orders = notifier.prepare([{ kind, configuration }], { body }, {}, { contentType, redeliveryOf: id })
  return await notifier.deliver(orders)
}

function toBody(record: DeliveryRecord, { data, body }: RedeliverOptions): string | Uint8Array {
  if (body !== undefined) {
    if (data !== undefined) throw new TypeError('options must not have both "body" and "data"')
    return parseBody(body)
  }
  if (data === undefined) return toBodyBytes(record)
  return toEnvelope(record.kind, parseData('data', data), isInline(record.body))
}

/** Whether the data of a notification is inline, not a string. */
function isInline(body: string): boolean {
  try {
    const envelope = parseJsonValue(body)
    return isJsonObject(envelope) && typeof envelope.data === 'object'
  } catch {
    return false
  }
}

import { openEnvelope, readData } from '../../events/read-envelope.ts'
import { isJsonObject } from '../../json/json-value.ts'
import type { DeliveryRecord } from '../delivery/delivery-record.ts'
import type { DeliverySubject } from './wire.ts'

const MAX_PARSED_LENGTH = 64 * 1_024
const MAX_LENGTH = 100

const subjects = new WeakMap<DeliveryRecord, DeliverySubject>()

/** Id and status in the data of a notification, so that a list need not have the bodies. */
export function toDeliverySubject(record: DeliveryRecord): DeliverySubject {
  const known = subjects.get(record)
  if (known) return known
  const subject = readSubject(record.body)
  subjects.set(record, subject)
  return subject
}

function readSubject(body: string): DeliverySubject {
  if (body.length > MAX_PARSED_LENGTH) return {}
  try {
    const { exact } = readData(openEnvelope(body))
    if (!isJsonObject(exact)) return {}
    const { id, status } = exact
    return {
      ...((typeof id === 'string' || typeof id === 'number') && { id: String(id).slice(0, MAX_LENGTH) }),
      ...(typeof status === 'string' && { status: status.slice(0, MAX_LENGTH) }),
    }
  } catch {
    return {}
  }
}

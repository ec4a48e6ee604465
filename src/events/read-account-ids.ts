import type { Body } from '../body-bytes.ts'
import { isJsonObject } from '../json/json-value.ts'
import { toIdentifier } from './identifier.ts'
import { subjectTypeOf } from './kinds.ts'
import { readData, readEnvelope } from './read-envelope.ts'

const FIELDS = ['payerAccountId', 'payeeAccountId']

/**
 * The ids of the accounts that a notification names: of its payer and its payee, or of the account that it is
 * about. `undefined` if the body cannot be parsed.
 */
export function readAccountIds(body: Body): string[] | undefined {
  try {
    const envelope = readEnvelope(body)
    const { lossy, exact } = readData(envelope)
    if (!isJsonObject(lossy) || !isJsonObject(exact)) return []
    const fields = subjectTypeOf(envelope.kind) === 'account' ? [...FIELDS, 'id'] : FIELDS
    return fields.flatMap((name) => {
      const [value, digits] = [lossy[name], exact[name]]
      return isIdentifier(value) && isIdentifier(digits) ? (toIdentifier(value, digits) ?? []) : []
    })
  } catch {
    return undefined
  }
}

function isIdentifier(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

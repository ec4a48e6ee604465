import type { Body } from '../body-bytes.ts'
import { readIdentifier } from './identifier.ts'
import { subjectTypeOf } from './kinds.ts'
import { readData, tryRead } from './read-envelope.ts'

const FIELDS = ['payerAccountId', 'payeeAccountId']

/**
 * The ids of the accounts that a notification names: of its payer and its payee, or of the account that it is
 * about. `undefined` if the body cannot be parsed.
 */
export function readAccountIds(body: Body): string[] | undefined {
  return tryRead(body, (envelope) => {
    const data = readData(envelope)
    const fields = subjectTypeOf(envelope.kind) === 'account' ? [...FIELDS, 'id'] : FIELDS
    return fields.flatMap((name) => readIdentifier(data, name) ?? [])
  })
}

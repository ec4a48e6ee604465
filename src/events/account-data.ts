import * as z from 'zod/mini'
import { identifierSchema } from './identifier.ts'
import { openObject } from './open-object.ts'
import { mustBe } from './text.ts'

/**
 * Data of `ACCOUNT_STATUS_UPDATED`. A field that is not listed here is kept, too: after
 * `if ('newField' in event.data)` TypeScript lets you read it.
 */
export interface AccountData {
  /** Account id, a decimal string. */
  id: string
  /** Whether all information required for payments has been provided. */
  paymentReady: boolean
  /** Whether the account is verified. */
  verified: boolean
}

const flag = z.boolean({ error: mustBe('true or false') })

/**
 * Schema of {@link AccountData}. Takes the wire's JSON, gives the event's form.
 *
 * @example
 * accountDataSchema.parse({ id: 710021, paymentReady: true, verified: false }).id // '710021'
 */
export const accountDataSchema = openObject(
  { id: identifierSchema, paymentReady: flag, verified: flag },
  'an object',
)

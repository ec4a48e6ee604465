import * as z from 'zod/mini'
import { identifierSchema } from './identifier.ts'
import { openObject } from './open-object.ts'
import { mustBe } from './text.ts'

/**
 * Data of `ACCOUNT_STATUS_UPDATED`. Fields that are not listed here are kept: after
 * `if ('newField' in event.data)` TypeScript lets you read one.
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
 * Schema of {@link AccountData}. Takes the JSON as sent, and returns the event's form.
 *
 * @example
 * accountDataSchema.parse({ id: 710021, paymentReady: true, verified: false }).id // '710021'
 */
export const accountDataSchema = openObject(
  { id: identifierSchema, paymentReady: flag, verified: flag },
  'an object',
)

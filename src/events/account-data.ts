import * as z from 'zod/mini'
import { isJsonObject, type JsonObject } from '../json/json-value.ts'
import { mustBe, openObject } from './fields.ts'
import { identifierSchema } from './identifier.ts'

const flag = z.boolean({ error: mustBe('true or false') })

export const accountObject = openObject(
  {
    /** Account id, a decimal string. */
    id: identifierSchema,
    /** Whether all information required for payments has been provided. */
    paymentReady: flag,
    /** Whether the account is verified. */
    verified: flag,
  },
  'an object',
)

/**
 * Data of `ACCOUNT_STATUS_UPDATED`. Fields that are not listed here are kept: after
 * `if ('newField' in event.data)` TypeScript lets you read one.
 */
export interface AccountData extends z.output<typeof accountObject> {}

// The names in older notifications.
const ALIASES = { isPaymentReady: 'paymentReady', isVerified: 'verified' }

/** Gives older fields their current names, unless those are there, too. */
export function renameAliases(data: JsonObject): JsonObject {
  for (const [alias, name] of Object.entries(ALIASES)) {
    const value = data[alias]
    if (value === undefined || Object.hasOwn(data, name)) continue
    data[name] = value
    delete data[alias]
  }
  return data
}

/**
 * Schema of {@link AccountData}. Takes the JSON as sent, and returns the event's form. `isPaymentReady` and
 * `isVerified`, the names in older notifications, become `paymentReady` and `verified`.
 *
 * @example
 * accountDataSchema.parse({ id: 710021, paymentReady: true, verified: false }).id // '710021'
 */
export const accountDataSchema: z.ZodMiniType<AccountData, z.input<typeof accountObject>> = z.pipe(
  z.transform((data: z.input<typeof accountObject>) =>
    isJsonObject(data) ? renameAliases({ ...data }) : data,
  ),
  accountObject,
)

import * as z from 'zod/mini'
import { identifierSchema } from './identifier.ts'
import { mustBe } from './text.ts'

const flag = z.boolean({ error: mustBe('true or false') })

/**
 * Data of `ACCOUNT_STATUS_UPDATED` (service.md 2.4). Takes the wire's JSON, gives the event's form.
 *
 * @example
 * accountDataSchema.parse({ id: 710021, paymentReady: true, verified: false }).id // '710021'
 */
export const accountDataSchema = z.looseObject(
  { id: identifierSchema, paymentReady: flag, verified: flag },
  { error: mustBe('an object') },
)

/** @see accountDataSchema */
export type AccountData = z.output<typeof accountDataSchema>

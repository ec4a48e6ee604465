import * as z from 'zod/mini'
import { mustBe } from './text.ts'

const date = z.iso.date()
// Nothing, or a time of day in any notation of ISO 8601, with or without an offset.
const TIME = /^(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?$/
const error = mustBe('an ISO date or date-time, such as 2026-11-21 or 2026-11-21T10:30:00Z')

/** An ISO 8601 date, alone or with a time, kept as it was sent. */
export const isoDate = z
  .string({ error })
  .check(z.refine((value) => z.validate(date, value.slice(0, 10)) && TIME.test(value.slice(10)), { error }))

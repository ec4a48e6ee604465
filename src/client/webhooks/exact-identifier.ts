import * as z from 'zod/mini'
import { identifierSchema, toIdentifier } from '../../events/identifier.ts'

/**
 * An identifier in JSON that was parsed without losing a digit: a number beyond 2^53 that is still there as a
 * number prints back as it was sent.
 */
export const exactIdentifierSchema = z.pipe(
  z.transform((value: unknown) =>
    typeof value === 'number' ? (toIdentifier(value, value) ?? value) : value,
  ),
  identifierSchema,
)

import * as z from 'zod/mini'
import { mustBe } from './text.ts'

/**
 * An object that keeps unknown fields, since the service adds fields over the years. Its type has only the
 * known fields, so that a misspelled one does not compile.
 *
 * @param what completes the message "must be …"
 */
export function openObject<Fields extends z.core.$ZodShape>(
  fields: Fields,
  what: string,
): z.ZodMiniObject<Fields, z.core.$strip> {
  return z.looseObject(fields, { error: mustBe(what) }) as unknown as z.ZodMiniObject<Fields, z.core.$strip>
}

import * as z from 'zod/mini'

/** For a field that is missing or invalid. zod's own messages need a locale of 1.5 KB. */
export function mustBe(what: string): (issue: { readonly input?: unknown }) => string {
  return ({ input }) => (input === undefined ? `is required, and must be ${what}` : `must be ${what}`)
}

export const text = z.string({ error: mustBe('a string') })

/**
 * A string with autocompletion for the known values that accepts any other: the service adds values over the
 * years, and a new one must not invalidate a notification.
 */
export function openText<Known extends string>(): z.ZodMiniType<Known | (string & {}), string> {
  return text as unknown as z.ZodMiniType<Known | (string & {}), string>
}

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

import * as z from 'zod/mini'

/**
 * The message for a field that is missing or invalid. zod's own messages need a locale of 1.5 KB.
 */
export function mustBe(what: string): (issue: { readonly input?: unknown }) => string {
  return ({ input }) => (input === undefined ? `is required, and must be ${what}` : `must be ${what}`)
}

/** Any string. */
export const text = z.string({ error: mustBe('a string') })

/**
 * A string with autocompletion for the known values that accepts any other: the service adds values over the
 * years, and a new one must not invalidate a notification.
 */
export function openText<Known extends string>(): z.ZodMiniType<Known | (string & {}), string> {
  return text as unknown as z.ZodMiniType<Known | (string & {}), string>
}

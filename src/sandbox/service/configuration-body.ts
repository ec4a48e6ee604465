import * as z from 'zod/mini'
import { EVENT_KINDS } from '../../events/kinds.ts'
import { isJsonObject } from '../../json/json-value.ts'
import { isCallbackUrl } from '../state/is-callback-url.ts'

const fields = {
  event: z.enum(EVENT_KINDS, { error: '"event" must be one of the event kinds' }),
  callbackURL: z
    .string({ error: '"callbackURL" must be an absolute http or https URL' })
    .check(z.refine(isCallbackUrl, { error: '"callbackURL" must be an absolute http or https URL' })),
}

const creation = z.object(fields, { error: 'The body must be a JSON object' })
const exactCreation = z.strictObject(fields, {
  error: (issue) =>
    issue.code === 'unrecognized_keys'
      ? 'The body must hold "event" and "callbackURL" only'
      : 'The body must be a JSON object',
})
const update = z.partial(creation).check(
  z.refine(({ event, callbackURL }) => event !== undefined || callbackURL !== undefined, {
    error: 'The body must have "event" or "callbackURL"',
  }),
)

export type ConfigurationBody = z.infer<typeof creation>
export type ConfigurationUpdate = z.infer<typeof update>

/**
 * Reads the body of a create, or returns what is wrong with it.
 *
 * @param strict refuse fields that are not known
 */
export function parseConfiguration(bytes: Uint8Array, strict: boolean): ConfigurationBody | string {
  return check(strict ? exactCreation : creation, readJson(bytes))
}

/** The same for a parsed body. */
export function toConfiguration(body: unknown): ConfigurationBody | string {
  return check(creation, body)
}

/** Reads the body of an update. Missing fields are not changed. */
export function parseConfigurationUpdate(bytes: Uint8Array): ConfigurationUpdate | string {
  return check(update, readJson(bytes))
}

/** The same for a parsed body. */
export function toConfigurationUpdate(body: unknown): ConfigurationUpdate | string {
  return check(update, body)
}

function check<Output>(schema: z.ZodMiniType<Output>, body: unknown): Output | string {
  if (isJsonObject(body) && Object.hasOwn(body, 'callbackUrl') && !Object.hasOwn(body, 'callbackURL'))
    return 'The field is "callbackURL", with URL in capitals; only responses have "callbackUrl"'
  const result = schema.safeParse(body)
  return result.success ? result.data : (result.error.issues[0]?.message ?? 'The body is not valid')
}

function readJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}

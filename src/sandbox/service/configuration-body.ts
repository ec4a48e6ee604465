import * as z from 'zod/mini'
import { EVENT_KINDS } from '../../events/kinds.ts'
import { isJsonObject } from '../../json/json-value.ts'
import { invalid } from '../http-error.ts'
import { isCallbackUrl } from '../state/is-callback-url.ts'

const URL_ERROR = { error: '"callbackURL" must be an absolute http or https URL' }
const creation = z.object(
  {
    event: z.enum(EVENT_KINDS, { error: '"event" must be one of the event kinds' }),
    callbackURL: z.string(URL_ERROR).check(z.refine(isCallbackUrl, URL_ERROR)),
  },
  { error: 'The body must be a JSON object' },
)
const update = z.partial(creation).check(
  z.refine(({ event, callbackURL }) => event !== undefined || callbackURL !== undefined, {
    error: 'The body must have "event" or "callbackURL"',
  }),
)

/**
 * @param body bytes, or a parsed body
 * @param isStrict reject unknown fields
 * @throws HttpError that says what is wrong
 */
export function parseConfiguration(body: unknown, isStrict: boolean): z.infer<typeof creation> {
  const value = readJson(body)
  const configuration = check(creation, value)
  if (isStrict && Object.keys(value as object).length > 2)
    throw invalid('The body must hold "event" and "callbackURL" only')
  return configuration
}

/** The same for an update. Missing fields are not changed. */
export function parseConfigurationUpdate(body: unknown): z.infer<typeof update> {
  return check(update, readJson(body))
}

function check<Output>(schema: z.ZodMiniType<Output>, body: unknown): Output {
  if (isJsonObject(body) && Object.hasOwn(body, 'callbackUrl') && !Object.hasOwn(body, 'callbackURL'))
    throw invalid('The field is "callbackURL", with URL in capitals; only responses have "callbackUrl"')
  const result = schema.safeParse(body)
  if (result.success) return result.data
  throw invalid(result.error.issues[0]?.message ?? 'The body is not valid')
}

function readJson(body: unknown): unknown {
  if (!(body instanceof Uint8Array)) return body
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return undefined
  }
}

import { isEventKind } from '../../events/kinds.ts'
import { isJsonObject, type JsonObject } from '../../json/json-value.ts'
import { invalid } from '../http-error.ts'
import type { Configuration } from '../state/configurations.ts'
import { isCallbackUrl } from '../state/is-callback-url.ts'

type UrlName = 'callbackURL' | 'callbackUrl'

/**
 * @param urlName requests of the service spell it `callbackURL`, everything else here `callbackUrl`
 * @throws HttpError that says what is wrong
 */
export function parseConfiguration(urlName: UrlName, fields: Record<string, unknown>) {
  const { event, [urlName]: callbackUrl } = fields
  if (!isEventKind(event)) throw invalid('"event" must be one of the event kinds')
  if (!isCallbackUrl(callbackUrl)) throw invalid(`"${urlName}" must be an absolute http or https URL`)
  return { event, callbackUrl }
}

/** The same for an update. Missing fields are not changed. */
export function parseConfigurationUpdate(
  urlName: UrlName,
  fields: Record<string, unknown>,
  { event, callbackUrl }: Configuration,
) {
  if (fields.event === undefined && fields[urlName] === undefined)
    throw invalid(`The body must have "event" or "${urlName}"`)
  return parseConfiguration(urlName, { event, [urlName]: callbackUrl, ...fields })
}

/** @param isStrict reject unknown fields */
export function readConfigurationFields(bytes: Uint8Array, isStrict: boolean): JsonObject {
  let body: unknown
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {}
  if (!isJsonObject(body)) throw invalid('The body must be a JSON object')
  if (Object.hasOwn(body, 'callbackUrl') && !Object.hasOwn(body, 'callbackURL'))
    throw invalid('The field is "callbackURL", with URL in capitals; only responses have "callbackUrl"')
  if (isStrict && Object.keys(body).some((name) => name !== 'event' && name !== 'callbackURL'))
    throw invalid('The body must hold "event" and "callbackURL" only')
  return body
}

import { isEventKind } from '../../events/kinds.ts'
import { isJsonObject, type JsonObject } from '../../json/json-value.ts'
import { invalid } from '../http-error.ts'
import { isCallbackUrl } from '../state/is-callback-url.ts'

/** @param urlName requests of the service spell it `callbackURL`, everything else here `callbackUrl` */
export function parseConfiguration(
  urlName: 'callbackURL' | 'callbackUrl',
  { event, [urlName]: callbackUrl }: Record<string, unknown>,
) {
  if (!isEventKind(event)) throw invalid('"event" must be one of the event kinds')
  if (!isCallbackUrl(callbackUrl)) throw invalid(`"${urlName}" must be an absolute http or https URL`)
  return { event, callbackUrl }
}

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

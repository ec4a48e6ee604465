import { ApiError } from '../../client-errors.ts'
import { PayhookError } from '../../errors.ts'
import { assertOptions, OptionError } from '../../option-checks.ts'
import type { Call, CallResult } from '../call.ts'
import type { CallOptions } from '../client-options.ts'
import type { Redaction } from '../http/redaction.ts'
import { isHtml, isSuccess, toBody, toShownBody } from '../http/response.ts'
import { ofOneOwner, type TokenSource } from '../tokens/token-keeper.ts'
import { syncWebhooks } from './sync-webhooks.ts'
import {
  compareIds,
  type DesiredWebhook,
  isActive,
  toConfiguration,
  toDeleted,
  toDesired,
  toKey,
  type WebhookConfiguration,
} from './webhook-configuration.ts'
import type { ListWebhooksOptions, Webhooks } from './webhooks.ts'

export function createWebhooks(
  call: Call,
  tokens: TokenSource,
  root: string,
  redaction: Redaction,
): Webhooks {
  /** The operations of one call, which fails if the client begins to act for another owner in the meantime. */
  function begin({ signal }: CallOptions = {}) {
    const tokensOfOne = ofOneOwner(tokens)
    const send: Send = async (method, url, desired) => {
      // The service may send the callback token back with an error.
      if (desired) redaction.add(...new URL(desired.callbackUrl).searchParams.getAll('token'))
      return await call({
        method,
        url,
        body: desired && JSON.stringify({ event: desired.event, callbackURL: desired.callbackUrl }),
        // Required on all of them, with a body or without.
        headers: { 'content-type': 'application/json' },
        // A second create would make a second configuration.
        newId: method === 'POST' ? 'until_lost' : 'always',
        repeatable: true,
        isWebhook: true,
        tokens: tokensOfOne,
        signal,
      })
    }
    return createOperations(send, root, redaction)
  }

  return {
    create: async (desired, options) => await begin(options).create(desired),
    list: async (options) => await begin(options).list(options),
    get: async (id, options) => await begin(options).get(id),
    update: async (id, change, options) => await begin(options).update(id, change),
    delete: async (id, options) => await begin(options).delete(id),
    sync: async (desired, options) => await syncWebhooks(begin(options), desired, options),
  }
}

type Send = (method: string, url: string, desired?: DesiredWebhook) => Promise<CallResult>

function createOperations(send: Send, root: string, redaction: Redaction): Omit<Webhooks, 'sync'> {
  async function list({ onUnreadable }: ListWebhooksOptions = {}) {
    const result = await send('GET', root)
    const body = toBody(result.response.text) ?? null
    const entries = Array.isArray(body) ? body : body === null ? [] : [body]
    const configurations = entries.map((entry) => toConfiguration(entry, { status: 'Active' }))
    const readable = configurations.filter((each) => each !== undefined)
    if (readable.length === 0 && entries.length > 0) throw unreadable(result, redaction)
    for (const [index, entry] of entries.entries()) {
      if (configurations[index] === undefined) onUnreadable?.(entry)
    }
    return readable
  }

  async function get(id: string) {
    try {
      return read(await send('GET', toUrl(root, id)), { status: 'Active' })
    } catch (error) {
      if (!(error instanceof ApiError) || (error.status !== 404 && error.status !== 405)) throw error
      // The service need not have this operation, which is not specified.
      const found = (await list()).find((configuration) => configuration.id === id)
      if (found !== undefined) return found
      const { status, body, requestId } = error
      throw new ApiError('not_found', `No callback configuration ${id}.`, { status, body, requestId })
    }
  }

  async function create(wanted: DesiredWebhook) {
    const desired = toDesired(wanted)
    try {
      return read(await send('POST', root, desired), { ...desired, status: 'Active' })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const isLost = error.code === 'conflict' && error.cause !== undefined
      if (!isLost && error.code !== 'response_invalid') throw error
      const listed = await list().catch((failed) => {
        throw failed instanceof PayhookError ? error : failed
      })
      const matching = listed.filter((found) => isActive(found) && toKey(found) === toKey(desired))
      // The newest: there may have been the same before.
      const [newest] = matching.sort((left, right) => compareIds(right.id, left.id))
      if (newest === undefined) throw error
      return newest
    }
  }

  async function update(id: string, change: Partial<DesiredWebhook>) {
    const url = toUrl(root, id)
    assertOptions(change, ['event', 'callbackUrl'], 'webhooks.update')
    const given = Object.values(change).filter((value) => value !== undefined).length
    if (given === 0) throw new TypeError('"event" and "callbackUrl" must not both be missing')
    const before: Partial<DesiredWebhook> = given === 2 ? {} : await get(id)
    const { event = before.event, callbackUrl = before.callbackUrl } = change
    const desired = toDesired({ event, callbackUrl })
    const result = await send('PATCH', url, desired)
    const requested = { id, ...desired, status: 'Active' }
    return (toBody(result.response.text) ?? null) === null ? requested : read(result, requested)
  }

  async function remove(id: string) {
    const result = await send('DELETE', toUrl(root, id))
    const { response } = result
    // Not of the service, so nothing was deleted.
    if (isSuccess(response) && isHtml(response)) throw unreadable(result, redaction)
    const body = isSuccess(response) ? toBody(response.text) : undefined
    return toDeleted(body, { id, status: 'Inactive' })
  }

  function read(result: CallResult, requested: Partial<WebhookConfiguration>): WebhookConfiguration {
    const configuration = toConfiguration(toBody(result.response.text), requested)
    if (configuration === undefined) throw unreadable(result, redaction)
    return configuration
  }

  return { create, list, get, update, delete: remove }
}

function toUrl(root: string, id: string): string {
  if (typeof id === 'string' && /^-?\d{1,40}$/.test(id)) return `${root}/${id}`
  throw new OptionError('id', 'the id of a callback configuration, a string of decimal digits')
}

function unreadable({ response, what }: CallResult, redaction: Redaction): ApiError {
  const message = `${what} got a ${response.status}, but its body is not a callback configuration.`
  const { requestId } = response
  return new ApiError('response_invalid', message, { body: toShownBody(response, redaction), requestId })
}

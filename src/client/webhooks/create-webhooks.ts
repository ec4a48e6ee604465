import { ApiError } from '../../client-errors.ts'
import type { JsonObject } from '../../json/json-value.ts'
import { assertOptions } from '../../option-checks.ts'
import { type Call, nameOf, type Outcome, type Steps } from '../call.ts'
import type { CallOptions } from '../client-options.ts'
import { toBody, toShownBody } from '../http/answer.ts'
import type { Redaction } from '../http/redaction.ts'
import type { ServiceUrls } from '../http/service-urls.ts'
import { syncWebhooks } from './sync-webhooks.ts'
import {
  assertDesired,
  compareIds,
  type DeletedWebhook,
  type DesiredWebhook,
  toConfiguration,
  toDeleted,
  toKey,
  type WebhookConfiguration,
} from './webhook-configuration.ts'
import type { ListOptions, Webhooks } from './webhooks.ts'

interface WebhooksSettings {
  readonly call: Call
  readonly urls: ServiceUrls
  readonly createRequestId: () => string
  readonly redaction: Redaction
}

export function createWebhooks({ call, urls, createRequestId, redaction }: WebhooksSettings): Webhooks {
  const collection = urls.webhooks

  async function request(method: string, url: string, body: JsonObject | undefined, options: Steps) {
    const outcome = await call({
      method,
      url,
      body: body && JSON.stringify(body),
      // On all four, also on those without a body.
      headers: { 'content-type': 'application/json' },
      requestId: createRequestId(),
      // A second create would make a second configuration.
      newId: method === 'POST' ? 'unless_done' : 'always',
      repeatable: true,
      hidesInvalidToken: true,
      owner: options.owner,
      signal: options.signal,
    })
    return { ...outcome, what: nameOf({ method, url }) }
  }

  function read(outcome: Outcome & { what: string }, requested: JsonObject): WebhookConfiguration {
    return toConfiguration(toBody(outcome.answer.text), requested) ?? unreadable(outcome)
  }

  function unreadable({ answer, requestId, what }: Outcome & { what: string }): never {
    const message = `${what} was answered ${answer.status}, but with no callback configuration that can be read.`
    const body = toShownBody(answer, redaction)
    throw new ApiError('response_invalid', message, { status: answer.status, body, requestId })
  }

  async function list({ onUnreadable, ...options }: ListOptions & Steps = {}) {
    const outcome = await request('GET', collection, undefined, options)
    if (outcome.answer.tooLarge) return unreadable(outcome)
    const body = toBody(outcome.answer.text) ?? null
    const entries = Array.isArray(body) ? body : body === null ? [] : [body]
    const read = entries.map((entry) => toConfiguration(entry, { status: 'Active' }))
    const configurations = read.filter((each) => each !== undefined)
    // If no entry can be read, this is not a list of configurations.
    if (configurations.length === 0 && entries.length > 0) return unreadable(outcome)
    for (const [index, entry] of entries.entries()) if (read[index] === undefined) onUnreadable?.(entry)
    return configurations
  }

  /** The configuration that a create whose answer was lost has made. */
  async function find(desired: DesiredWebhook, options: Steps) {
    const matching = (await list(options)).filter(
      (found) => toKey(found) === toKey(desired) && found.status !== 'Inactive',
    )
    // Another one like it may have been there before.
    return matching.sort((left, right) => compareIds(right.id, left.id))[0]
  }

  async function get(id: string, callOptions: CallOptions = {}): Promise<WebhookConfiguration> {
    const options = inSteps(callOptions)
    try {
      return read(await request('GET', itemUrl(id), undefined, options), { status: 'Active' })
    } catch (error) {
      if (!(error instanceof ApiError) || (error.status !== 404 && error.status !== 405)) throw error
      // The specification does not state this operation, so the service may not have it.
      const found = (await list(options)).find((configuration) => configuration.id === id)
      if (found !== undefined) return found
      if (error.status === 404) throw error
      const { status, body, requestId } = error
      throw new ApiError('not_found', `There is no callback configuration ${id}.`, {
        status,
        body,
        requestId,
      })
    }
  }

  async function create(
    desired: DesiredWebhook,
    callOptions: CallOptions = {},
  ): Promise<WebhookConfiguration> {
    const options = inSteps(callOptions)
    assertDesired(desired)
    const { event, callbackUrl } = desired
    redaction.add(...tokensOf(callbackUrl))
    const requested = { event, callbackUrl, status: 'Active' }
    try {
      return read(await request('POST', collection, { event, callbackURL: callbackUrl }, options), requested)
    } catch (error) {
      if (!mayBeDone(error)) throw error
      const found = await find(desired, options)
      if (found === undefined) throw error
      return found
    }
  }

  async function update(id: string, change: Partial<DesiredWebhook>, callOptions: CallOptions = {}) {
    const options = inSteps(callOptions)
    const url = itemUrl(id)
    assertOptions(change, ['event', 'callbackUrl'])
    if (change.event === undefined && change.callbackUrl === undefined) {
      throw new TypeError('one of "event" and "callbackUrl" must be given')
    }
    const desired = isWhole(change) ? change : { ...(await get(id, options)), ...withoutUndefined(change) }
    assertDesired(desired)
    const { event, callbackUrl } = desired
    redaction.add(...tokensOf(callbackUrl))
    const outcome = await request('PATCH', url, { event, callbackURL: callbackUrl }, options)
    const changed = toConfiguration(toBody(outcome.answer.text), { id, event, callbackUrl, status: 'Active' })
    if (changed !== undefined) return changed
    const found = await get(id, options)
    return toKey(found) === toKey(desired) ? found : unreadable(outcome)
  }

  async function remove(id: string, callOptions: CallOptions = {}): Promise<DeletedWebhook> {
    const options = inSteps(callOptions)
    const outcome = await request('DELETE', itemUrl(id), undefined, options)
    return toDeleted(toBody(outcome.answer.text), { id, status: 'Inactive' })
  }

  function itemUrl(id: string): string {
    if (typeof id === 'string' && /^\d{1,40}$/.test(id)) return `${collection}/${id}`
    throw new TypeError('"id" must be the id of a callback configuration, a string of decimal digits')
  }

  return {
    create,
    list,
    get,
    update,
    delete: remove,
    sync: (desired, options) => syncWebhooks({ create, list, update, delete: remove }, desired, options),
  }
}

function inSteps(options: Steps): Steps {
  return { owner: {}, ...options }
}

/** Whether a create may have made a configuration all the same, as its answer has none or was lost. */
function mayBeDone(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  return error.code === 'response_invalid' || (error.code === 'conflict' && error.cause !== undefined)
}

function isWhole(change: Partial<DesiredWebhook>): change is DesiredWebhook {
  return change.event !== undefined && change.callbackUrl !== undefined
}

function withoutUndefined(change: Partial<DesiredWebhook>): Partial<DesiredWebhook> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
}

/** The callback tokens in a URL, which the service may send back with an error. */
function tokensOf(url: string): string[] {
  return new URL(url).searchParams.getAll('token')
}

import { ApiError } from '../client-errors.ts'
import type { JsonObject, JsonValue } from '../json/json-value.ts'
import { assertOptions } from '../option-checks.ts'
import { toBody, toShownBody } from './answer.ts'
import { type Call, nameOf, type Outcome, type Steps } from './call.ts'
import type { CallOptions } from './client-options.ts'
import type { Redaction } from './redaction.ts'
import type { ServiceUrls } from './service-urls.ts'
import { type SyncOptions, type SyncResult, syncWebhooks } from './sync-webhooks.ts'
import {
  assertDesired,
  compareIds,
  type DeletedWebhook,
  type DesiredWebhook,
  isSame,
  toConfiguration,
  toDeleted,
  type WebhookConfiguration,
} from './webhook-configuration.ts'

/** The webhook operations (service.md 4.4), of the account whose token the client has. */
export interface Webhooks {
  /**
   * Subscribes a URL to a kind of event. Sent again when its answer is lost, without a second configuration: the service
   * knows the repeated `X-Request-Id`, and what the first one made is looked up.
   *
   * @example
   * await client.webhooks.create({ event: 'INBOUND_PAYMENT_STATUS_UPDATED', callbackUrl: withCallbackToken(url, token) })
   */
  create(desired: DesiredWebhook, options?: CallOptions): Promise<WebhookConfiguration>
  /** All configurations that the service lists: the active ones. */
  list(options?: CallOptions): Promise<WebhookConfiguration[]>
  /** One configuration; an `ApiError` `not_found` when there is none of that id. */
  get(id: string, options?: CallOptions): Promise<WebhookConfiguration>
  /** Changes the kind, the URL or both; what is left out stays, and is read first. */
  update(id: string, change: Partial<DesiredWebhook>, options?: CallOptions): Promise<WebhookConfiguration>
  /** Makes a configuration inactive: nothing is sent for it any more. */
  delete(id: string, options?: CallOptions): Promise<DeletedWebhook>
  /**
   * Brings the active configurations to what is desired: creates what is missing, and gives a configuration of the same kind
   * the desired URL where it had another one. What is there besides stays, unless `prune` is set. Doing it again changes
   * nothing, so it can run at every start, and again after it failed half-way.
   *
   * @example
   * await client.webhooks.sync([{ event: 'INBOUND_PAYMENT_STATUS_UPDATED', callbackUrl }], { dryRun: true })
   */
  sync(desired: readonly DesiredWebhook[], options?: SyncOptions): Promise<SyncResult>
}

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
      // On all four, also on those without a body (service.md 4.4).
      headers: { 'content-type': 'application/json' },
      requestId: createRequestId(),
      renamable: true,
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

  /** The service knows the request from before, and yet it was not done. */
  function undone({ answer, requestId, what }: Outcome & { what: string }): never {
    const message = `${what} arrived before, its answer was lost, and it does not show. Look with list(), then try again.`
    const body = toShownBody(answer, redaction)
    throw new ApiError('conflict', message, { status: answer.status, body, requestId })
  }

  async function list(options: Steps = {}): Promise<WebhookConfiguration[]> {
    const outcome = await request('GET', collection, undefined, options)
    const body = outcome.answer.tooLarge ? null : toBody(outcome.answer.text)
    if (body === undefined || (body === null && !outcome.answer.tooLarge)) return []
    const entries: JsonValue[] = Array.isArray(body) ? body : [body]
    return entries.map((entry) => toConfiguration(entry, { status: 'Active' }) ?? unreadable(outcome))
  }

  /** The configuration that a create whose answer was lost has made. */
  async function find(desired: DesiredWebhook, options: Steps) {
    const matching = (await list(options)).filter(
      (found) => isSame(found, desired) && found.status !== 'Inactive',
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
    const outcome = await request('POST', collection, { event, callbackURL: callbackUrl }, options)
    const made = toConfiguration(toBody(outcome.answer.text), { event, callbackUrl, status: 'Active' })
    if (made !== undefined && !outcome.arrivedBefore) return made
    const found = await find(desired, options)
    return found ?? (outcome.arrivedBefore ? undone(outcome) : unreadable(outcome))
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
    if (changed !== undefined && !outcome.arrivedBefore) return changed
    const found = await get(id, options)
    if (isSame(found, desired)) return found
    return outcome.arrivedBefore ? undone(outcome) : unreadable(outcome)
  }

  async function remove(id: string, callOptions: CallOptions = {}): Promise<DeletedWebhook> {
    const options = inSteps(callOptions)
    const outcome = await request('DELETE', itemUrl(id), undefined, options)
    const deleted = { id, status: 'Inactive' } as const
    if (!outcome.arrivedBefore) return toDeleted(toBody(outcome.answer.text), deleted)
    const found = await get(id, options).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'not_found') return deleted
      throw error
    })
    return found.status === 'Inactive' ? found : undone(outcome)
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

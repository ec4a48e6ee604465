import type { JsonValue } from '../../json/json-value.ts'
import type { CallOptions } from '../client-options.ts'
import type { DeletedWebhook, DesiredWebhook, WebhookConfiguration } from './webhook-configuration.ts'

/** The webhook operations, of the account whose token the client has. */
export interface Webhooks {
  /**
   * Subscribes a URL to a kind of event. Sent again when its answer is lost, without a second configuration:
   * the service knows the repeated `X-Request-Id`, and what the first one made is looked up.
   *
   * @example
   * await client.webhooks.create({ event: 'INBOUND_PAYMENT_STATUS_UPDATED', callbackUrl: withCallbackToken(url, token) })
   */
  create(desired: DesiredWebhook, options?: CallOptions): Promise<WebhookConfiguration>
  /**
   * All configurations that the service lists: the active ones. An entry that cannot be read is left out and
   * passed to `onUnreadable`; if none can be read, this is an `ApiError` `response_invalid`.
   */
  list(options?: ListOptions): Promise<WebhookConfiguration[]>
  /** One configuration; an `ApiError` `not_found` when there is none of that id. */
  get(id: string, options?: CallOptions): Promise<WebhookConfiguration>
  /** Changes the kind, the URL or both; what is left out stays, and is read first. */
  update(id: string, change: Partial<DesiredWebhook>, options?: CallOptions): Promise<WebhookConfiguration>
  /** Makes a configuration inactive: nothing is sent for it any more. */
  delete(id: string, options?: CallOptions): Promise<DeletedWebhook>
  /**
   * Brings the active configurations to what is desired: creates what is missing, and gives a configuration of
   * the same kind the desired URL where it had another one. What is there besides stays, unless `prune` is set.
   * Doing it again changes nothing, so it can run at every start, in several processes at once, and again after
   * it failed half-way.
   *
   * @example
   * await client.webhooks.sync([{ event: 'INBOUND_PAYMENT_STATUS_UPDATED', callbackUrl }], { dryRun: true })
   */
  sync(desired: readonly DesiredWebhook[], options?: SyncOptions): Promise<SyncResult>
}

/** Options of `webhooks.list`. */
export interface ListOptions extends CallOptions {
  /** Called with each entry that cannot be read, before `list` resolves. */
  readonly onUnreadable?: ((entry: JsonValue) => void) | undefined
}

/** Options of `webhooks.sync`. */
export interface SyncOptions extends CallOptions {
  /** Delete the active configurations that are not desired, of every kind. Default `false`. */
  readonly prune?: boolean | undefined
  /** Only say what would be done. Default `false`. */
  readonly dryRun?: boolean | undefined
}

/** What `webhooks.sync` did, or would do. {@link formatSyncResult} writes it out. */
export interface SyncResult {
  /** Without an `id` when it was a dry run. */
  readonly created: readonly (WebhookConfiguration | DesiredWebhook)[]
  readonly updated: readonly UpdatedWebhook[]
  /** Includes those that another process deleted first. */
  readonly deleted: readonly DeletedWebhook[]
  readonly unchanged: readonly WebhookConfiguration[]
  /** Plain http to another machine, or a configuration that cannot be read. Absent if there are no warnings. */
  readonly warnings?: readonly string[]
}

/** A configuration with its new URL, and the one it had before. */
export type UpdatedWebhook = WebhookConfiguration & { readonly previousCallbackUrl: string }

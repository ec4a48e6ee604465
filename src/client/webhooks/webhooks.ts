import type { JsonValue } from '../../json/json-value.ts'
import type { CallOptions } from '../client-options.ts'
import type { CallbackUrl, Loggable } from './callback-url.ts'
import type { DeletedWebhook, DesiredWebhook, WebhookConfiguration } from './webhook-configuration.ts'

/** The webhook operations, for the account whose token the client has. */
export interface Webhooks {
  /**
   * Subscribes a URL to a kind of event. If the response is lost, the request is sent again, and does not
   * create a second configuration.
   *
   * @example
   * await client.webhooks.create({ event: 'INBOUND_PAYMENT_STATUS_UPDATED', callbackUrl })
   */
  create(desired: DesiredWebhook, options?: CallOptions): Promise<WebhookConfiguration>
  /**
   * Lists the configurations: the active ones, on services that don't list deleted ones. An entry that is not a
   * configuration is left out and passed to `onUnreadable`.
   *
   * @throws ApiError `response_invalid` if no entry is a configuration
   */
  list(options?: ListWebhooksOptions): Promise<WebhookConfiguration[]>
  /** Gets one configuration. Like `update` and `delete`, fails with `not_found` if there is none. */
  get(id: string, options?: CallOptions): Promise<WebhookConfiguration>
  /** Changes the kind of event, the URL or both. If only one is given, the other is read first. */
  update(id: string, change: Partial<DesiredWebhook>, options?: CallOptions): Promise<WebhookConfiguration>
  /** Makes a configuration inactive, so that it gets no more notifications. */
  delete(id: string, options?: CallOptions): Promise<DeletedWebhook>
  /**
   * Makes the active configurations match the desired ones: creates what is missing, and replaces the URL of a
   * configuration of the same kind. Other configurations stay, unless `prune` is set. It can run at every
   * start, in several processes at once, and again after it failed halfway.
   *
   * @example
   * await client.webhooks.sync([{ event: 'INBOUND_PAYMENT_STATUS_UPDATED', callbackUrl }], { dryRun: true })
   */
  sync(desired: readonly DesiredWebhook[], options?: SyncOptions): Promise<SyncResult>
}

/** Options of `webhooks.list`. */
export interface ListWebhooksOptions extends CallOptions {
  /** Called with each entry that is not a configuration, before `list` resolves. */
  readonly onUnreadable?: ((entry: JsonValue) => void) | undefined
}

/** Options of `webhooks.sync`. */
export interface SyncOptions extends CallOptions {
  /** Delete the active configurations that are not desired, of every kind. @default `false` */
  readonly prune?: boolean | undefined
  /** Only plan the changes. @default `false` */
  readonly dryRun?: boolean | undefined
}

/**
 * What `webhooks.sync` did or would do. {@link formatSyncResult} prints it. It may be logged: only
 * `callbackUrl.href` has the callback token.
 */
export interface SyncResult {
  /** Without an `id` in a dry run. */
  readonly created: readonly Loggable<WebhookConfiguration | DesiredWebhook>[]
  readonly updated: readonly UpdatedWebhook[]
  /** Includes those that another process deleted first. */
  readonly deleted: readonly Loggable<DeletedWebhook>[]
  readonly unchanged: readonly Loggable<WebhookConfiguration>[]
  /** Plain http to another machine, or an entry that is not a configuration. Absent if there are none. */
  readonly warnings?: readonly string[]
}

/** A configuration with its new URL, and the one it had before. */
export type UpdatedWebhook = Loggable<WebhookConfiguration> & { readonly previousCallbackUrl: CallbackUrl }

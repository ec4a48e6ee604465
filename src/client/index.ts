export {
  ApiError,
  type ApiErrorCode,
  NetworkError,
  type NetworkErrorCode,
  TokenError,
  type TokenErrorCode,
} from '../client-errors.ts'
export { isPayhookError } from '../is-payhook-error.ts'
export { type ApiRequest, type Client, createClient } from './client.ts'
export type { CallOptions, ClientOptions } from './client-options.ts'
export type { Query } from './http/service-urls.ts'
export { createFileTokenStore } from './tokens/file-token-store.ts'
export {
  createMemoryTokenStore,
  type Grant,
  type StoredToken,
  type Token,
  type TokenStore,
} from './tokens/token-store.ts'
export type { CallbackUrl } from './webhooks/callback-url.ts'
export { formatSyncResult } from './webhooks/format-sync-result.ts'
export type {
  DeletedWebhook,
  DesiredWebhook,
  WebhookConfiguration,
} from './webhooks/webhook-configuration.ts'
export type {
  ListWebhooksOptions,
  SyncOptions,
  SyncResult,
  UpdatedWebhook,
  Webhooks,
} from './webhooks/webhooks.ts'

export {
  ApiError,
  type ApiErrorCode,
  NetworkError,
  type NetworkErrorCode,
  TokenError,
  type TokenErrorCode,
} from '../client-errors.ts'
export { isPayhookError } from '../errors.ts'
export { type ApiRequest, type Client, createClient } from './client.ts'
export type { CallOptions, ClientOptions } from './client-options.ts'
export { createFileTokenStore } from './file-token-store.ts'
export { formatSyncResult } from './format-sync-result.ts'
export type { Query } from './service-urls.ts'
export type { SyncOptions, SyncResult, UpdatedWebhook } from './sync-webhooks.ts'
export type { Token } from './token.ts'
export { createMemoryTokenStore, type Grant, type StoredToken, type TokenStore } from './token-store.ts'
export type { DeletedWebhook, DesiredWebhook, WebhookConfiguration } from './webhook-configuration.ts'
export type { ListOptions, Webhooks } from './webhooks.ts'

import { describe, expectTypeOf, it } from 'vitest'
import {
  ApiError,
  type CallbackUrl,
  createClient,
  isPayhookError,
  type NetworkError,
  type StoredToken,
  type SyncResult,
  type Token,
  type TokenError,
  type TokenStore,
  type WebhookConfiguration,
} from '../../src/client/index.ts'
import type { AnyPayhookError, JsonValue } from '../../src/index.ts'

const client = createClient({ baseUrl: 'https://api.example.com', clientId: 'a', clientSecret: 'b' })

describe('the client', () => {
  it('gives identifiers as strings', () => {
    expectTypeOf(client.webhooks.list()).resolves.toEqualTypeOf<WebhookConfiguration[]>()
    expectTypeOf<WebhookConfiguration['id']>().toEqualTypeOf<string>()
    expectTypeOf<Token['accountId']>().toEqualTypeOf<string | undefined>()
    expectTypeOf(client.request({ method: 'GET', path: '/x' })).resolves.toEqualTypeOf<
      JsonValue | undefined
    >()
    expectTypeOf<SyncResult['created'][number]['callbackUrl']>().toEqualTypeOf<CallbackUrl>()
  })

  it('takes any kind of event, and completes the known ones', () => {
    expectTypeOf(client.webhooks.create).parameter(0).toExtend<{ event: string; callbackUrl: string }>()
    expectTypeOf<{ event: 'VBA_TRANSACTION'; callbackUrl: string }>().toExtend<
      Parameters<typeof client.webhooks.create>[0]
    >()
    // @ts-expect-error: the path of a request is not optional
    void client.request({ method: 'GET' })
  })

  it('takes a store that gives tokens at once or later', () => {
    expectTypeOf<{ get(): StoredToken | undefined; set(): void }>().toExtend<TokenStore>()
    expectTypeOf<{
      get(key: string): Promise<StoredToken | undefined>
      set(key: string, token: StoredToken): Promise<void>
    }>().toExtend<TokenStore>()
  })
})

it('errors of the client narrow by code to their class', () => {
  const error = new ApiError('conflict', '') as unknown
  if (!isPayhookError(error)) return
  expectTypeOf(error).toEqualTypeOf<AnyPayhookError>()
  switch (error.code) {
    case 'conflict':
      expectTypeOf(error).toEqualTypeOf<ApiError>()
      expectTypeOf(error.requestId).toEqualTypeOf<string | undefined>()
      break
    case 'consent_required':
      expectTypeOf(error).toEqualTypeOf<TokenError>()
      break
    case 'network_timeout':
      expectTypeOf(error).toEqualTypeOf<NetworkError>()
      expectTypeOf(error.mayHaveArrived).toEqualTypeOf<boolean>()
  }
})

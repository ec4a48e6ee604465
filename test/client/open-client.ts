import { inspect } from 'node:util'
import { expect, onTestFinished } from 'vitest'
import {
  type Client,
  type ClientOptions,
  createClient,
  createMemoryTokenStore,
  isPayhookError,
  type Token,
  type TokenStore,
} from '../../src/client/index.ts'
import { type Step, waitingFor } from './exchange.ts'
import { type Behavior, type Service, startService } from './service-by-the-book.ts'

/** A service for one test. When the test ends, nothing that arrived may have been against the book. */
export async function openService(changes: Partial<Behavior> = {}): Promise<Service> {
  const service = await startService(changes)
  onTestFinished(async () => {
    await service.close()
    expect(service.complaints).toEqual([])
  })
  return service
}

/** A client of the service that loses no time between its attempts. */
export function clientOf(service: Service, options: Partial<ClientOptions> = {}): Client {
  return createClient({
    baseUrl: service.url,
    clientId: service.behavior.clientId,
    clientSecret: service.behavior.clientSecret,
    servicePath: service.behavior.servicePath,
    retryDelayMs: 1,
    timeoutMs: 5_000,
    ...options,
  })
}

/** A service and a client of it, which acts for the application's own account. */
export async function openClient(changes?: Partial<Behavior>, options?: Partial<ClientOptions>) {
  const service = await openService(changes)
  const client = clientOf(service, options)
  return { service, client, webhooks: client.webhooks }
}

/** The same, where these steps happen to the next requests of a route. */
export async function openScripted(route: string, steps: Step | Step[]) {
  const opened = await openClient()
  opened.service.on(route, steps)
  return opened
}

/** A service and a client, with a token that the service rejects from now on. */
export async function openClientHolding(
  state: 'expired' | 'invalid',
  changes?: Partial<Behavior>,
  options?: Partial<ClientOptions>,
) {
  const opened = await openClient(changes, options)
  await opened.client.token()
  opened.service.grants.setAccessTokens(state)
  return opened
}

/** A service and a client of it, which acts for a user. */
export async function openUserClient(changes?: Partial<Behavior>, options?: Partial<ClientOptions>) {
  const service = await openService(changes)
  return { service, client: await userClientOf(service, options) }
}

/** A client that acts for a user who has consented. */
export async function userClientOf(service: Service, options: Partial<ClientOptions> = {}): Promise<Client> {
  const client = clientOf(service, options)
  await consent(service, client)
  return client
}

/** Has a user consent, for whom the client acts from then on. */
export async function consent(service: Service, client: Client, account?: bigint): Promise<Token> {
  const code = service.grants.consent(REDIRECT_URI, account)
  return await client.exchangeCode({ code, redirectUri: REDIRECT_URI })
}

export async function storeWithToken(service: Service): Promise<TokenStore> {
  const tokenStore = createMemoryTokenStore()
  await clientOf(service, { tokenStore }).token()
  return tokenStore
}

export const REDIRECT_URI = 'https://app.example/return?from=pay&x=1'

/** Has the next request of a route wait. @returns a function that lets it go on */
export function hold(service: Service, route: string, step?: Step): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  service.on(route, waitingFor(promise, step))
  return resolve
}

/** The error that a promise rejects with; a value, or an error that is not payhook's, fails the test. */
export async function failureOf(promise: Promise<unknown>): Promise<ClientFailure> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if ('value' in outcome) throw new Error(`no failure, but ${inspect(outcome.value)}`)
  if (!isPayhookError(outcome.error)) throw outcome.error
  return outcome.error as unknown as ClientFailure
}

/** What the errors of the client have in common, and what some of them have. */
export interface ClientFailure extends Error {
  readonly code: string
  readonly status: number
  readonly body?: unknown
  readonly requestId?: string
}

/** Everything of a value that could end up in a log. */
export function shown(value: unknown): string {
  const seen = [inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: false })]
  seen.push(inspect(value), String(value), JSON.stringify(value) ?? '')
  for (let part = value; part instanceof Error; part = part.cause) {
    seen.push(part.message, part.stack ?? '', String(part), JSON.stringify(part) ?? '')
    seen.push(JSON.stringify((part as { body?: unknown }).body) ?? '')
    seen.push(inspect({ ...part }, { depth: Number.POSITIVE_INFINITY }))
  }
  return seen.join('\n')
}

import { randomUUID } from 'node:crypto'
import type { Sandbox, SandboxUser } from '../../../src/sandbox/index.ts'
import { authorizeUrl } from './browser.ts'

export interface TokenAnswer {
  access_token: string
  token_type: string
  refresh_token: string
  expires_in: number
  scope: string
  account_id: number
  user_id: number
}

export function basic(sandbox: Pick<Sandbox, 'clientId' | 'clientSecret'>): string {
  return `Basic ${btoa(`${sandbox.clientId}:${sandbox.clientSecret}`)}`
}

export async function requestGrant(
  sandbox: Sandbox,
  form: Record<string, string> | string,
  query: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Response> {
  const search = new URLSearchParams(query)
  return await fetch(`${sandbox.url}/oauth/token${search.size ? `?${search}` : ''}`, {
    method: 'POST',
    headers: { authorization: basic(sandbox), accept: 'application/json', ...headers },
    body: new URLSearchParams(form),
  })
}

/** Returns a token of the application's own account. */
export async function requestToken(sandbox: Sandbox): Promise<TokenAnswer> {
  return await read(await requestGrant(sandbox, { grant_type: 'client_credentials', scope: 'all' }))
}

/** Has a user consent, by default the first. @returns the code that the application gets */
export function codeFor(sandbox: Sandbox, user?: SandboxUser): string {
  const back = new URL(sandbox.consent(authorizeUrl(sandbox).href, user))
  return back.searchParams.get('code') ?? ''
}

/** Asks for the token that a code is good for. */
export async function exchange(sandbox: Sandbox, code: string): Promise<Response> {
  const [redirect_uri = ''] = sandbox.redirectUris
  return await requestGrant(sandbox, { grant_type: 'authorization_code', scope: 'all', code, redirect_uri })
}

/** Returns a token of a user who has consented. */
export async function tokenOf(sandbox: Sandbox, user: SandboxUser): Promise<string> {
  return (await read<TokenAnswer>(await exchange(sandbox, codeFor(sandbox, user)))).access_token
}

/** Reads something of the service's API, with a token or without. */
export async function get(sandbox: Pick<Sandbox, 'url'>, path: string, token?: string): Promise<Response> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return await fetch(`${sandbox.url}/svc/v1.0/${path}`, { headers })
}

export interface WebhookCall {
  method?: string
  id?: string | number
  token?: string | undefined
  body?: unknown
  headers?: Record<string, string>
}

/** Calls a webhook operation with the three required headers. */
export async function callWebhooks(
  sandbox: Sandbox,
  { method = 'GET', id, token, body, headers = {} }: WebhookCall,
): Promise<Response> {
  return await fetch(`${sandbox.url}/svc/v1.2/webhooks${id === undefined ? '' : `/${id}`}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      'x-request-id': randomUUID(),
      'content-type': 'application/json',
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
}

export interface WireConfiguration {
  id: number
  event: string
  callbackUrl: string
  status: string
}

export async function subscribe(
  sandbox: Sandbox,
  event: string,
  callbackURL: string,
  token?: string,
): Promise<WireConfiguration> {
  token ??= (await requestToken(sandbox)).access_token
  return await read(await callWebhooks(sandbox, { method: 'POST', token, body: { event, callbackURL } }))
}

/** Returns the body of a response that must be a success. */
export async function read<Body>(response: Response): Promise<Body> {
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
  return (await response.json()) as Body
}

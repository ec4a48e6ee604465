// The payments service as docs/protocol.md says, and nothing else: what it does not say is a field of
// `Behavior` or a step of a script. It is strict about the bytes of a request: what is not exactly section 4
// is rejected and noted in `complaints`.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listening } from '../contracts/listen.ts'
import { serviceApi } from '../openapi/documents.ts'
import {
  type Exchange,
  pass,
  type RecordedRequest,
  type ServiceResponse,
  type Step,
  toResponse,
} from './exchange.ts'
import { createGrants, type GrantBehavior } from './service-grants.ts'
import { createWebhooks, UNOWNED_WEBHOOK, type WebhookBehavior } from './service-webhooks.ts'

export interface Behavior extends GrantBehavior, WebhookBehavior {
  /** Path of the base address. */
  basePath: string
  /** What stands for `svc`. */
  servicePath: string
  /** What the service says to an invalid token, where docs/protocol.md does not say 404. */
  invalidToken: ServiceResponse
  expiredToken: ServiceResponse
  /** The body of hello. */
  hello: ServiceResponse
}

export type Service = Awaited<ReturnType<typeof startService>>

/** Starts a service on a free port. It knows one application, whose own account is `accountId`. */
export async function startService(changes: Partial<Behavior> = {}) {
  const behavior: Behavior = { ...defaults(), ...changes }
  const requests: RecordedRequest[] = []
  const complaints: string[] = []
  const scripts = new Map<string, Step[]>()
  const waiting = new Set<() => void>()
  const complain = (what: string) => void complaints.push(what)
  const grants = createGrants(behavior, complain)
  const webhooks = createWebhooks(behavior, complain)

  function serve(request: RecordedRequest): ServiceResponse {
    if (request.path === '/oauth/token') return grants.respond(request)
    if (request.headers.cookie !== undefined) complain('a cookie')
    const root = `/${behavior.servicePath}`
    const isWebhooks = request.path.startsWith(`${root}/v1.2/webhooks`)
    const state = grants.stateOf(request.headers.authorization)
    // The id is spent also by a request that is then rejected for its token.
    const reused = isWebhooks ? webhooks.spendId(request) : undefined
    if (reused !== undefined) return reused
    if (state === 'expired') return behavior.expiredToken
    if (state === 'invalid') return isWebhooks ? UNOWNED_WEBHOOK : behavior.invalidToken
    if (isWebhooks)
      return webhooks.respond(request, request.path.slice(`${root}/v1.2/webhooks`.length), state)
    if (request.path === `${root}/v1.0/hello`) {
      if (request.method !== 'GET' || request.url.includes('?')) complain('hello is GET without a query')
      return behavior.hello
    }
    return toResponse(200, { method: request.method, path: request.path, body: request.body })
  }

  /** Every request has to be as the OpenAPI document says, and the successes of a service without changes. */
  function checkAgainstDocument(
    request: RecordedRequest,
    { status, headers = {}, body = '' }: ServiceResponse,
  ): void {
    const path = request.path.replace(`/${behavior.servicePath}/`, '/svc/')
    if (!/^\/(?:oauth\/token|svc\/v1\.0\/hello|svc\/v1\.2\/webhooks(?:\/\d+)?)$/.test(path)) return
    const exchange = { ...request, path, status, responseHeaders: headers, responseBody: String(body) }
    const isStandard = status < 300 && Object.keys({ ...changes, ...behavior.token }).length === 0
    const faults = [
      ...serviceApi.checkRequest(exchange),
      ...(isStandard ? serviceApi.checkResponse(exchange) : []),
    ]
    // The client also takes kinds that this version does not know.
    const relevant = faults.filter((fault) => !fault.startsWith('request/event must be equal to one of'))
    complaints.push(...relevant.map((fault) => `${routeOf(request)}: ${fault}`))
  }

  const tokenRequests = () => requests.filter(({ path }) => path === '/oauth/token')

  const server = createServer((incoming, response) => {
    void (async () => {
      const request = await record(incoming, behavior.basePath)
      if (request === undefined) return
      if (request.path === '') complain(`${request.url} is not below the base address`)
      requests.push(request)
      for (const wake of waiting) wake()
      const exchange: Exchange = {
        request,
        response,
        apply: () => {
          const before = complaints.length
          const ordinary = serve(request)
          if (complaints.length === before) checkAgainstDocument(request, ordinary)
          return ordinary
        },
        send: (sent) => send(response, sent),
      }
      await (nextStep(scripts, routeOf(request)) ?? pass)(exchange)
    })()
  })
  const { port, close } = await listening(server)

  return {
    url: `http://127.0.0.1:${port}${behavior.basePath}`,
    behavior,
    requests,
    /** Requests of `POST /oauth/token`. */
    get tokenRequests() {
      return tokenRequests()
    },
    /** Their grants, in the order of arrival. */
    get grantTypes() {
      return tokenRequests().map(({ body }) => new URLSearchParams(body).get('grant_type') ?? '')
    },
    /** Every other request, as method and path. */
    get calls() {
      return requests.filter(({ path }) => path !== '/oauth/token').map(routeOf)
    },
    /** What was not by the book. Empty, or the client is at fault. */
    complaints,
    grants,
    webhooks,
    /**
     * What happens to the next requests of this method and path; a path may end in `*`, and `*` is every request.
     */
    on(route: string, steps: Step | Step[]) {
      scripts.set(route, [...(scripts.get(route) ?? []), ...[steps].flat()])
    },
    /** From now on every response is the ordinary one. */
    forget: () => scripts.clear(),
    /** Resolves once this many requests of the route have arrived. */
    async arrived(route: string, count = 1) {
      const found = () => requests.filter((request) => matches(route, routeOf(request)))[count - 1]
      for (;;) {
        const request = found()
        if (request !== undefined) return request
        const { promise, resolve } = Promise.withResolvers<void>()
        waiting.add(resolve)
        await promise
        waiting.delete(resolve)
      }
    },
    close,
  }
}

function defaults(): Behavior {
  return {
    basePath: '',
    servicePath: 'svc',
    clientId: 'application-1',
    clientSecret: 'client-secret/+ %41é~',
    accountId: 700_100n,
    userId: 800_100n,
    rotatesRefreshTokens: false,
    token: {},
    spelling: 'callbackUrl',
    listsInactive: false,
    getById: false,
    successStatus: {},
    invalidToken: toResponse(401, { code: 401, message: 'Invalid token', logTag: 'x2', timestamp: 'now' }),
    expiredToken: toResponse(401, { code: 401, message: 'The access token expired', timestamp: 'now' }),
    hello: toResponse(200, { hello: 'world' }),
  }
}

async function record(incoming: IncomingMessage, basePath: string): Promise<RecordedRequest | undefined> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of incoming) chunks.push(chunk)
  } catch {
    return undefined
  }
  const url = incoming.url ?? ''
  const [path = '', query = ''] = url.split(/\?(.*)/s)
  return {
    method: incoming.method ?? '',
    url,
    path: path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : '',
    query: new URLSearchParams(query),
    headers: incoming.headers,
    rawHeaders: incoming.rawHeaders,
    body: Buffer.concat(chunks).toString(),
  }
}

function routeOf({ method, path, url }: RecordedRequest): string {
  return `${method} ${path || url}`
}

function matches(route: string, actual: string): boolean {
  return route.endsWith('*') ? actual.startsWith(route.slice(0, -1)) : route === actual
}

function nextStep(scripts: Map<string, Step[]>, actual: string): Step | undefined {
  for (const [route, steps] of scripts) {
    if (steps.length > 0 && matches(route, actual)) return steps.shift()
  }
  return undefined
}

function send(response: ServerResponse, { status, headers = {}, body }: ServiceResponse): void {
  if (response.destroyed) return
  response.writeHead(status, headers)
  response.end(body)
}

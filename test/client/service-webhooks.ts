import { type RecordedRequest, type ServiceResponse, toResponse } from './exchange.ts'

export interface WebhookBehavior {
  /** How the response spells the address: the protocol says `callbackUrl`. */
  spelling: 'callbackUrl' | 'callbackURL'
  listsInactive: boolean
  /** Section 4.4 has no route that reads one configuration. */
  getById: boolean
  /** Success codes by method; 200 where there is none. A 204 has no body. */
  successStatus: Record<string, number>
}

/** A configuration as the service keeps it. */
export interface Configuration {
  readonly id: bigint
  readonly account: bigint
  event: string
  callbackUrl: string
  status: 'Active' | 'Inactive'
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

/** Section 7: the response to a webhook operation without a valid token, and to an id that there is not. */
export const UNOWNED_WEBHOOK = toResponse(404, {
  code: 404,
  message: 'Not found',
  logTag: 'x1',
  timestamp: 'now',
})

/** The webhook operations of the protocol. */
export function createWebhooks(
  behavior: WebhookBehavior & { accountId: bigint },
  complain: (what: string) => void,
) {
  const configurations: Configuration[] = []
  const spent = new Set<string>()

  const toWire = ({ id, event, callbackUrl, status }: Configuration) => ({
    id,
    event,
    [behavior.spelling]: callbackUrl,
    status,
  })

  const reject = (what: string) => {
    complain(what)
    return toResponse(400, { code: 400, error: 'Bad Request', message: what, timestamp: 'now' })
  }

  function success(method: string, body: unknown): ServiceResponse {
    const status = behavior.successStatus[method] ?? 200
    return toResponse(status, status === 204 ? undefined : body)
  }

  function list(account: bigint): ServiceResponse {
    const found = configurations.filter(
      (one) => one.account === account && (behavior.listsInactive || one.status === 'Active'),
    )
    return success('GET', found.map(toWire))
  }

  function content({ method, body }: RecordedRequest) {
    const fields = JSON.parse(body) as Record<string, unknown>
    const { event, callbackURL } = fields
    if (Object.keys(fields).sort().join() !== 'callbackURL,event') return reject(`${method} with ${body}`)
    if (typeof event !== 'string' || typeof callbackURL !== 'string') return reject(`${method} with ${body}`)
    return { event, callbackUrl: callbackURL }
  }

  const webhooks = {
    configurations,
    nextId: 101n,
    /** 409 when the X-Request-Id was used before. */
    spendId({ headers }: RecordedRequest): ServiceResponse | undefined {
      const id = String(headers['x-request-id']).toLowerCase()
      if (spent.has(id)) return toResponse(409, { code: 409, message: 'X-Request-Id was used before' })
      spent.add(id)
      return undefined
    },
    respond(request: RecordedRequest, path: string, account: bigint): ServiceResponse {
      const { method, headers, body, url } = request
      if (!UUID.test(String(headers['x-request-id'])))
        return reject(`X-Request-Id: ${headers['x-request-id']}`)
      if (headers['content-type'] !== 'application/json') {
        return reject(`Content-Type: ${headers['content-type']} of ${method}`)
      }
      if (url.includes('?')) return reject(`a query in ${url}`)
      if ((method === 'GET' || method === 'DELETE') && body !== '') return reject(`${method} with a body`)
      if (path === '') {
        if (method === 'GET') return list(account)
        if (method !== 'POST') return toResponse(405)
        const created = content(request)
        if ('status' in created) return created
        const { event, callbackUrl } = created
        return success('POST', toWire(webhooks.add(event, callbackUrl, { account })))
      }
      if (method === 'GET' && !behavior.getById) return toResponse(404, '<h1>no route</h1>')
      const id = /^\/(\d+)$/.exec(path)?.[1]
      const found = configurations.find((one) => String(one.id) === id && one.account === account)
      if (found === undefined || (found.status === 'Inactive' && !behavior.listsInactive)) {
        return UNOWNED_WEBHOOK
      }
      if (method === 'PATCH') {
        const update = content(request)
        if ('status' in update) return update
        Object.assign(found, update)
      } else if (method === 'DELETE') {
        found.status = 'Inactive'
      } else if (method !== 'GET') {
        return toResponse(405)
      }
      return success(method, toWire(found))
    },
    /** Adds a configuration behind the client's back. */
    add(event: string, callbackUrl: string, changes: Partial<Configuration> = {}): Configuration {
      const added: Configuration = {
        id: webhooks.nextId,
        account: behavior.accountId,
        event,
        callbackUrl,
        status: 'Active',
        ...changes,
      }
      if (changes.id === undefined) webhooks.nextId++
      configurations.push(added)
      return added
    },
    /** The active configurations as `event url`, sorted. */
    active: () =>
      configurations
        .filter(({ status }) => status === 'Active')
        .map(({ event, callbackUrl }) => `${event} ${callbackUrl}`)
        .sort(),
  }
  return webhooks
}

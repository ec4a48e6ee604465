import { booleanOption } from '../../option-checks.ts'

/** Where the service is, and what is there. */
export interface ServiceUrls {
  /** The service's address without a slash at its end. */
  readonly base: string
  readonly token: string
  readonly authorize: string
  readonly hello: string
  readonly webhooks: string
  /** @throws TypeError for a path that is none, or that would lead away from the service */
  to(path: string, query?: Query): string
}

/** The query of a request; a list gives a parameter several times, `undefined` leaves it out. */
export type Query = Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>>

type QueryValue = string | number | bigint | boolean

interface UrlOptions {
  readonly baseUrl: string
  readonly servicePath?: string | undefined
  readonly authorizePath?: string | undefined
  readonly allowInsecureHttp?: boolean | undefined
}

/** @throws TypeError for an address that is none, or that a token must not be sent to */
export function toServiceUrls({
  baseUrl,
  servicePath = 'svc',
  authorizePath = '/oauth/authorize',
  allowInsecureHttp,
}: UrlOptions): ServiceUrls {
  const base = toBase(baseUrl, booleanOption('allowInsecureHttp', allowInsecureHttp, false))
  if (typeof servicePath !== 'string' || !/^[\w.~-]+$/.test(servicePath) || /^\.+$/.test(servicePath)) {
    throw new TypeError('"servicePath" option must be one segment of a path, such as svc')
  }
  const to = (path: string, query: Query = {}) => toUrl(base, path, query)
  return {
    base,
    token: to('/oauth/token'),
    authorize: to(authorizePath),
    hello: to(`/${servicePath}/v1.0/hello`),
    webhooks: to(`/${servicePath}/v1.2/webhooks`),
    to,
  }
}

function toBase(baseUrl: string, allowInsecureHttp: boolean): string {
  const url = typeof baseUrl === 'string' && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    const hint = baseUrl === undefined ? '; it is undefined. Is the variable set?' : ''
    throw new TypeError(`"baseUrl" option must be an absolute URL, such as https://api.example.com${hint}`)
  }
  if (url.username !== '' || url.password !== '' || /[?#]/.test(baseUrl)) {
    throw new TypeError('"baseUrl" option must have no user, query or fragment')
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !allowInsecureHttp) {
    throw new TypeError(
      '"baseUrl" option must be an https URL: over plain http the secret and the tokens would travel in the clear. ' +
        'Only this machine may be called without, unless "allowInsecureHttp" is set',
    )
  }
  return url.href.replace(/\/+$/, '')
}

/** Whether a host, as `URL` spells it, is this machine. */
export function isLoopback(hostname: string): boolean {
  // Not names below localhost: a system may ask its name server for those.
  return /^(?:127(?:\.\d+){3}|\[::1\]|localhost)$/.test(hostname)
}

function toUrl(base: string, path: string, query: Query): string {
  // The parser of URLs drops tabs and line ends, takes a backslash for a slash and resolves dots, encoded ones
  // too.
  const plain = typeof path === 'string' && /^\/(?![/\\])[\x21-\x7e]*$/.test(path) && !/[\\#]/.test(path)
  if (!plain || /^[^?]*\/(?:\.|%2e){1,2}(?:[/?]|$)/i.test(path)) {
    throw new TypeError('"path" must begin with one slash and lead nowhere else, such as /svc/v1.0/hello')
  }
  const url = new URL(`${base}${path}`)
  for (const [name, value] of Object.entries(query)) {
    for (const single of Array.isArray(value) ? value : [value]) {
      if (single === undefined) continue
      if (!['string', 'number', 'bigint', 'boolean'].includes(typeof single)) {
        throw new TypeError(`"query.${name}" must be a string, a number or a boolean, or a list of them`)
      }
      url.searchParams.append(name, String(single))
    }
  }
  return url.href
}

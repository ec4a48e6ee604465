import { booleanOption } from '../../option-checks.ts'

/** The query of a request. A list repeats a parameter, `undefined` leaves it out. */
export type Query = Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>>

type QueryValue = string | number | bigint | boolean

/** Where the service is. */
export interface AddressOptions {
  /** The service's address: an absolute URL without `/svc`. Plain http is only allowed to this machine. */
  readonly baseUrl: string
  /** The service's own name, the first segment of its paths. Default `svc`. */
  readonly servicePath?: string | undefined
  /** Path of the authorize page. Default `/oauth/authorize`. */
  readonly authorizePath?: string | undefined
  /** Whether to send the secret and the tokens in the clear to another machine. Default `false`. */
  readonly allowInsecureHttp?: boolean | undefined
}

/** @throws TypeError if an address is invalid, or one that tokens must not be sent to */
export function toServiceUrls(options: AddressOptions) {
  const { baseUrl, servicePath = 'svc', authorizePath = '/oauth/authorize', allowInsecureHttp } = options
  const base = toBase(baseUrl, booleanOption('allowInsecureHttp', allowInsecureHttp, false))
  if (typeof servicePath !== 'string' || !/^[\w.~-]+$/.test(servicePath) || /^\.+$/.test(servicePath)) {
    throw new TypeError('"servicePath" option must be one path segment, such as svc')
  }
  const to = (path: string, query: Query = {}) => toUrl(base, path, query)
  return {
    base,
    token: to('/oauth/token'),
    authorize: to(authorizePath),
    hello: to(`/${servicePath}/v1.0/hello`),
    webhooks: to(`/${servicePath}/v1.2/webhooks`),
    /** @throws TypeError if the path is invalid or leads elsewhere */
    to,
  }
}

function toBase(baseUrl: string, allowInsecureHttp: boolean): string {
  const url = typeof baseUrl === 'string' && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    const hint = baseUrl === undefined || baseUrl === '' ? '. Is the environment variable set?' : ''
    throw new TypeError(`"baseUrl" option must be an absolute URL, such as https://api.example.com${hint}`)
  }
  if (url.username !== '' || url.password !== '' || /[?#]/.test(baseUrl)) {
    throw new TypeError('"baseUrl" option must not have a user, a query or a fragment')
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !allowInsecureHttp) {
    const reason = 'plain http sends the secret and the tokens in the clear'
    const way = 'It is only allowed to this machine, unless "allowInsecureHttp" is set'
    throw new TypeError(`"baseUrl" option must be an https URL: ${reason}. ${way}`)
  }
  return url.href.replace(/\/+$/, '')
}

/** Whether a hostname of a `URL` is this machine. */
export function isLoopback(hostname: string): boolean {
  // Not names below localhost: some systems ask a name server for them.
  return /^(?:127(?:\.\d+){3}|\[::1\]|localhost)$/.test(hostname)
}

function toUrl(base: string, path: string, query: Query): string {
  const href = `${base}${path}`
  const url = URL.canParse(href) ? new URL(href) : undefined
  // URL() resolves dots, drops tabs and turns backslashes: a path that it changes would lead elsewhere.
  if (url?.href !== href || !path.startsWith('/') || path.startsWith('//') || url.hash !== '')
    throw new TypeError(
      '"path" must begin with one slash and must not lead elsewhere, such as /svc/v1.0/hello',
    )
  for (const [name, value] of Object.entries(query)) {
    for (const single of Array.isArray(value) ? value : [value]) {
      if (typeof single === 'object') throw new TypeError(`"query.${name}" must not be null or an object`)
      if (single !== undefined) url.searchParams.append(name, String(single))
    }
  }
  return url.href
}

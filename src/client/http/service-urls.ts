import { booleanOption } from '../../option-checks.ts'

/** The query of a request. A list repeats a parameter, `undefined` leaves it out. */
export type Query = Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>>

type QueryValue = string | number | bigint | boolean

interface UrlOptions {
  readonly baseUrl: string
  readonly servicePath?: string | undefined
  readonly authorizePath?: string | undefined
  readonly allowInsecureHttp?: boolean | undefined
}

/** @throws TypeError if an address is invalid, or one that tokens must not be sent to */
export function toServiceUrls(options: UrlOptions) {
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
    const message =
      'plain http sends the secret and the tokens in the clear. It is only allowed to this machine'
    throw new TypeError(
      `"baseUrl" option must be an https URL: ${message}, unless "allowInsecureHttp" is set`,
    )
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
      if (single !== undefined) url.searchParams.append(name, String(single))
    }
  }
  return url.href
}

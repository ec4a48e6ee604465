import { isPlainObject } from '../../json/json-value.ts'
import { type Checked, type Checks, flag, OptionError, option, text } from '../../option-checks.ts'

/** The query of a request. A list repeats a parameter, `undefined` leaves it out. */
export type Query = Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>>

type QueryValue = string | number | bigint | boolean

export interface AddressOptions {
  /** The service's address: an absolute URL without `/svc`. Plain http is only allowed to this machine. */
  readonly baseUrl: string
  /** The service's own name, the first segment of its paths. @default `svc` */
  readonly servicePath?: string | undefined
  /** Path of the authorize page. @default `/oauth/authorize` */
  readonly authorizePath?: string | undefined
  /** Whether to send the secret and the tokens in the clear to another machine. @default `false` */
  readonly allowInsecureHttp?: boolean | undefined
}

export const ADDRESS_OPTIONS = {
  baseUrl: option<string>('an absolute URL, such as https://api.example.com', isHttpUrl),
  servicePath: text('svc', /^(?!\.+$)[\w.~-]+$/, 'one path segment, such as svc'),
  authorizePath: text('/oauth/authorize'),
  allowInsecureHttp: flag(false),
} satisfies Checks<AddressOptions>

/** @throws TypeError if an address is invalid, or one that tokens must not be sent to */
export function toServiceUrls(options: Checked<typeof ADDRESS_OPTIONS>) {
  const { servicePath, authorizePath } = options
  const base = toBase(options.baseUrl, options.allowInsecureHttp)
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

function isHttpUrl(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
}

function toBase(baseUrl: string, allowInsecureHttp: boolean): string {
  const url = new URL(baseUrl)
  if (url.username !== '' || url.password !== '' || /[?#]/.test(baseUrl))
    throw new TypeError('"baseUrl" option must not have a user, a query or a fragment')
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !allowInsecureHttp) {
    const requirement = 'an https URL: plain http sends the secret and the tokens in the clear'
    throw new OptionError(
      'baseUrl',
      requirement,
      '. It is only allowed to this machine, unless "allowInsecureHttp" is set',
    )
  }
  return url.href.replace(/\/+$/, '')
}

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
  if (!isPlainObject(query)) throw new TypeError('"query" must be an object of names and values')
  for (const [name, value] of Object.entries(query)) {
    for (const single of Array.isArray(value) ? value : [value]) {
      if (typeof single === 'object') throw new TypeError(`"query.${name}" must not be null or an object`)
      if (single !== undefined) url.searchParams.append(name, String(single))
    }
  }
  return url.href
}

import { assertOptions, booleanOption, filledText, withinRange } from '../option-checks.ts'

/** Options of {@link createSandbox}. All have a default. */
export interface SandboxOptions {
  /** Port to listen on. Default 0, a free one. */
  readonly port?: number | undefined
  /**
   * Address or name to listen on. Default `127.0.0.1`, which is only reachable from this machine. On a loopback
   * address, a request with any other `Host` gets a 421, so that no web page reaches the sandbox by DNS
   * rebinding.
   */
  readonly hostname?: string | undefined
  /** Client id of the application: printable ASCII without a colon. Default `sandbox-client-id`. */
  readonly clientId?: string | undefined
  /** Client secret of the application: printable ASCII. Default `sandbox-client-secret`. */
  readonly clientSecret?: string | undefined
  /** The first path segment of the API, `svc` in docs/protocol.md. Default `svc`. */
  readonly servicePath?: string | undefined
  /** Path of the authorize page, outside `servicePath`. Default `/oauth/authorize`. */
  readonly authorizePath?: string | undefined
  /** The registered redirect URIs. Compared exactly. Default `['http://localhost:3000/callback']`. */
  readonly redirectUris?: readonly string[] | undefined
  /** Lifetime of an access token, in seconds, from 1 to ten years. Default 3,600. */
  readonly tokenLifetimeSeconds?: number | undefined
  /** Lifetime of an authorization code and of a log-in, in seconds, from 1 to a day. Default 300. */
  readonly codeLifetimeSeconds?: number | undefined
  /** The delay between two delivery attempts, in milliseconds, from 0 to 24.8 days. Default 5,000. */
  readonly retryDelayMs?: number | undefined
  /** The time limit of a delivery attempt, in milliseconds, from 1 to 24.8 days. Default 10,000. */
  readonly attemptTimeoutMs?: number | undefined
  /**
   * The number of concurrent attempts per receiver, from 1 to 1,000. A receiver is an origin of callback URLs.
   * A slow receiver does not delay the others. Default 50.
   */
  readonly maxConcurrentDeliveries?: number | undefined
  /**
   * Additional host names of the sandbox, such as those of a proxy or a container. Default: none. If the
   * sandbox listens on a network address, the service accepts every host name unless this option is set. The
   * console and its API only accept these names, loopback names and addresses.
   */
  readonly allowedHosts?: readonly string[] | undefined
  /**
   * Path below which clients can read payments and invoices, such as `/svc/v1.0` for
   * `/svc/v1.0/payments/48201`. A request needs a token of the payer or the payee. The specification shows no
   * such path. Default: none.
   */
  readonly payments?: string | undefined
  /**
   * Refuse what the specification does not state: grant parameters that are missing or in another place, an
   * `Accept` header without JSON, a read of one configuration, an update of one field, unknown fields. Default
   * `false`.
   */
  readonly strict?: boolean | undefined
  /**
   * Accept what clients of other years send: any version in the path, any non-empty `X-Request-Id`, and no
   * `Content-Type` on a GET or DELETE. Default `false`.
   */
  readonly lenient?: boolean | undefined
  /**
   * File that keeps configurations, tokens and counters, so that they survive a restart. It is written before
   * the answer to a request that changed them, and on `close()`. Default: none.
   */
  readonly state?: string | undefined
  /** Accept any non-empty `X-Request-Id`, although the service requires a UUID. Default `false`. */
  readonly acceptAnyRequestId?: boolean | undefined
  /** Simulate a partner account: InProgress and Complete payments have `mtlReceiptLinkUrl`. Default `false`. */
  readonly partner?: boolean | undefined
  /** How many settled deliveries and how many requests are kept, from 1 to 1,000,000. Default 10,000. */
  readonly maxRecords?: number | undefined
}

const SANDBOX_OPTIONS = [
  'port',
  'hostname',
  'clientId',
  'clientSecret',
  'servicePath',
  'authorizePath',
  'redirectUris',
  'tokenLifetimeSeconds',
  'codeLifetimeSeconds',
  'retryDelayMs',
  'attemptTimeoutMs',
  'maxConcurrentDeliveries',
  'allowedHosts',
  'state',
  'payments',
  'strict',
  'lenient',
  'acceptAnyRequestId',
  'partner',
  'maxRecords',
] as const

export type CheckedSandboxOptions = {
  readonly [Name in keyof SandboxOptions]-?: NonNullable<SandboxOptions[Name]>
}

const MAX_MS = 2 ** 31 - 1
const TEN_YEARS_SECONDS = 10 * 365 * 86_400
const PRINTABLE = /^[\x20-\x7e]+$/
const PRINTABLE_WITHOUT_COLON = /^[\x20-\x39\x3b-\x7e]+$/
const VISIBLE = /^[\x21-\x7e]+$/
// The control API.
const RESERVED = '_sandbox'
const SEGMENT = /^[\w~-][\w.~-]*$/

/** @throws TypeError if an option is unknown or out of range */
export function checkSandboxOptions(options: SandboxOptions): CheckedSandboxOptions {
  assertOptions(options, SANDBOX_OPTIONS)
  const servicePath = text(
    'servicePath',
    options.servicePath,
    'svc',
    SEGMENT,
    'a path segment of letters and digits',
  )
  if (servicePath === RESERVED) throw new TypeError(`"servicePath" option must not be ${RESERVED}`)
  const lenient = booleanOption('lenient', options.lenient, false)
  const strict = booleanOption('strict', options.strict, false)
  if (strict && lenient) throw new TypeError('"strict" and "lenient" options exclude each other')
  return {
    strict,
    lenient,
    payments: paymentsOption(options.payments),
    state: options.state === undefined ? '' : filledText('state', options.state),
    port: withinRange('port', options.port, 0, 0, 65_535),
    hostname: text('hostname', options.hostname, '127.0.0.1', PRINTABLE, 'an address'),
    clientId: text(
      'clientId',
      options.clientId,
      'sandbox-client-id',
      PRINTABLE_WITHOUT_COLON,
      'printable ASCII without a colon',
    ),
    clientSecret: text(
      'clientSecret',
      options.clientSecret,
      'sandbox-client-secret',
      PRINTABLE,
      'printable ASCII',
    ),
    servicePath,
    authorizePath: authorizePathOption(options.authorizePath, servicePath),
    redirectUris: redirectUrisOption(options.redirectUris),
    tokenLifetimeSeconds: withinRange(
      'tokenLifetimeSeconds',
      options.tokenLifetimeSeconds,
      3_600,
      1,
      TEN_YEARS_SECONDS,
    ),
    codeLifetimeSeconds: withinRange('codeLifetimeSeconds', options.codeLifetimeSeconds, 300, 1, 86_400),
    retryDelayMs: withinRange('retryDelayMs', options.retryDelayMs, 5_000, 0, MAX_MS),
    attemptTimeoutMs: withinRange('attemptTimeoutMs', options.attemptTimeoutMs, 10_000, 1, MAX_MS),
    maxConcurrentDeliveries: withinRange(
      'maxConcurrentDeliveries',
      options.maxConcurrentDeliveries,
      50,
      1,
      1_000,
    ),
    allowedHosts: allowedHostsOption(options.allowedHosts),
    acceptAnyRequestId: booleanOption('acceptAnyRequestId', options.acceptAnyRequestId, lenient),
    partner: booleanOption('partner', options.partner, false),
    maxRecords: withinRange('maxRecords', options.maxRecords, 10_000, 1, 1_000_000),
  }
}

function text(name: string, value: unknown, fallback: string, pattern: RegExp, what: string): string {
  if (value === undefined) return fallback
  if (typeof value !== 'string' || !pattern.test(value))
    throw new TypeError(`"${name}" option must be ${what}`)
  return value
}

function authorizePathOption(value: unknown, servicePath: string): string {
  const path = value ?? '/oauth/authorize'
  const [root, first, ...others] = typeof path === 'string' ? path.split('/') : []
  if (root !== '' || ![first, ...others].every((segment) => SEGMENT.test(segment ?? '')))
    throw new TypeError('"authorizePath" option must be a path such as /oauth/authorize')
  if (first === RESERVED || first === servicePath || path === '/oauth/token')
    throw new TypeError(
      `"authorizePath" option must not be /oauth/token or below /${servicePath} or /${RESERVED}`,
    )
  return path as string
}

function redirectUrisOption(value: unknown): readonly string[] {
  if (value === undefined) return ['http://localhost:3000/callback']
  if (!Array.isArray(value) || !value.every(isRedirectUri))
    throw new TypeError('"redirectUris" option must be a list of absolute URLs without a fragment')
  return [...value]
}

function paymentsOption(value: unknown): string {
  if (value === undefined) return ''
  const [root, ...segments] = typeof value === 'string' ? value.split('/') : []
  if (root !== '' || !segments.every((segment) => SEGMENT.test(segment)) || segments[0] === RESERVED)
    throw new TypeError('"payments" option must be a path such as /svc/v1.0')
  return value as string
}

function allowedHostsOption(value: unknown): readonly string[] {
  if (value === undefined) return []
  if (!Array.isArray(value) || !value.every(isHostname))
    throw new TypeError('"allowedHosts" option must be a list of names such as sandbox.test, without a port')
  return [...value]
}

function isHostname(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    value !== '' &&
    !/[/@?#\s]|:\d+$/.test(value) &&
    URL.canParse(`http://${value}`)
  )
}

function isRedirectUri(value: unknown): value is string {
  return typeof value === 'string' && VISIBLE.test(value) && URL.canParse(value) && !value.includes('#')
}

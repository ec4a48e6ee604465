import * as check from '../../option-checks.ts'

/** Options of {@link createSandbox}. All are optional. */
export interface SandboxOptions {
  /** Port to listen on; 0 is a free one. @default 0 */
  readonly port?: number | undefined
  /**
   * Address or name to listen on. The default is only reachable from this machine. On a loopback address, a
   * request with any other `Host` gets a 421, so that no web page reaches the sandbox by DNS rebinding.
   * @default '127.0.0.1'
   */
  readonly hostname?: string | undefined
  /**
   * Additional host names of the sandbox, such as those of a proxy or a container. If the sandbox listens on
   * a network address, the service accepts every host name unless this option is set. The console and its API
   * only accept these names, loopback names and addresses. @default []
   */
  readonly allowedHosts?: readonly string[] | undefined
  /** Client id: printable ASCII without a colon, nor spaces around it. @default 'sandbox-client-id' */
  readonly clientId?: string | undefined
  /** Client secret: printable ASCII without spaces around it. @default 'sandbox-client-secret' */
  readonly clientSecret?: string | undefined
  /** The registered redirect URIs, compared exactly. @default ['http://localhost:3000/callback'] */
  readonly redirectUris?: readonly string[] | undefined
  /** Simulate a partner account: InProgress and Complete payments have `mtlReceiptLinkUrl`. @default false */
  readonly partner?: boolean | undefined
  /** The first path segment of the API, `svc` in docs/protocol.md. @default 'svc' */
  readonly servicePath?: string | undefined
  /** Path of the authorize page, outside `servicePath`. @default '/oauth/authorize' */
  readonly authorizePath?: string | undefined
  /**
   * Path below which clients can read payments and invoices, such as `/svc/v1.0` for `/svc/v1.0/payments/48201`
   * and the list `/svc/v1.0/payments`, as one array or, with `pageNumber`, in pages, and the report
   * `/svc/v1.0/payments/report?startDate=2026-11-01&endDate=2026-11-30`. A request needs a token of the payer
   * or the payee. The specification shows no such path, so by default there is none.
   */
  readonly resourcePath?: string | undefined
  /**
   * `'strict'` rejects what the specification does not state: grant parameters that are missing, repeated or
   * in another place, form-encoded credentials, an `Accept` header without JSON, a read of one configuration,
   * an update of one field, unknown fields. `'lenient'` accepts what older clients send: any version in the
   * path, any non-empty `X-Request-Id`, and no `Content-Type` on a GET or DELETE. Its token responses have
   * ids as strings, and a `user_name`.
   */
  readonly mode?: 'strict' | 'lenient' | undefined
  /** Lifetime of an access token, in seconds, from 1 to ten years. @default 3600 */
  readonly tokenLifetimeSeconds?: number | undefined
  /** The delay between two delivery attempts, in milliseconds, from 0 to 24.8 days. @default 5000 */
  readonly retryDelayMs?: number | undefined
  /** The time limit of a delivery attempt, in milliseconds, from 1 to 24.8 days. @default 10000 */
  readonly attemptTimeoutMs?: number | undefined
  /**
   * File that keeps configurations, tokens and counters, so that they survive a restart. It is written before
   * the response to a request that changed them, and on `close()`. Only one sandbox can use it at a time.
   */
  readonly stateFile?: string | undefined
}

const TEN_YEARS_SECONDS = 10 * 365 * 86_400
const PRINTABLE = /^(?! )[\x20-\x7e]+(?<! )$/
const PRINTABLE_WITHOUT_COLON = /^(?! )[\x20-\x39\x3b-\x7e]+(?<! )$/
const VISIBLE = /^[\x21-\x7e]+$/
const SEGMENT = /^(?!_sandbox$)[\w~-][\w.~-]*$/
const PATH = /^(?:\/(?!_sandbox(?:\/|$))[\w~-][\w.~-]*)+$/

const SANDBOX_OPTIONS = {
  port: check.integer(0, 65_535, 0),
  hostname: check.text('127.0.0.1', PRINTABLE, 'an address'),
  allowedHosts: list('names such as sandbox.test, without a port', isHostname, []),
  clientId: check.text(
    'sandbox-client-id',
    PRINTABLE_WITHOUT_COLON,
    'printable ASCII without a colon, nor spaces around it',
  ),
  clientSecret: check.text('sandbox-client-secret', PRINTABLE, 'printable ASCII without spaces around it'),
  redirectUris: list('absolute URLs without a fragment', isRedirectUri, ['http://localhost:3000/callback']),
  partner: check.flag(false),
  servicePath: check.text('svc', SEGMENT, 'a path segment such as svc, and not _sandbox'),
  authorizePath: check.text(
    '/oauth/authorize',
    PATH,
    'a path such as /oauth/authorize, and not below /_sandbox',
  ),
  resourcePath: check.optional(
    check.text(undefined, PATH, 'a path such as /svc/v1.0, and not below /_sandbox'),
  ),
  mode: check.optional(check.oneOf(['strict', 'lenient'])),
  tokenLifetimeSeconds: check.integer(1, TEN_YEARS_SECONDS, 3_600),
  retryDelayMs: check.delayMs(0, 5_000),
  attemptTimeoutMs: check.delayMs(1, 10_000),
  stateFile: check.optional(check.text()),
} satisfies check.Checks<SandboxOptions>

export type CheckedSandboxOptions = check.Checked<typeof SANDBOX_OPTIONS>

export function checkSandboxOptions(options: SandboxOptions): CheckedSandboxOptions {
  const checked = check.checkOptions('createSandbox', options, SANDBOX_OPTIONS)
  const { authorizePath, servicePath } = checked
  if (authorizePath === '/oauth/token' || authorizePath.split('/')[1] === servicePath)
    throw new TypeError(`"authorizePath" option must not be /oauth/token or below /${servicePath}`)
  return checked
}

function list(
  requirement: string,
  accepts: (value: unknown) => boolean,
  fallback: readonly string[],
): check.Check<readonly string[]> {
  const checkList = check.option<readonly string[]>(
    `a list of ${requirement}`,
    (value) => Array.isArray(value) && value.every(accepts),
    fallback,
  )
  return (name, value) => [...checkList(name, value)]
}

function isHostname(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    value !== '' &&
    !/[/@?#\s]|:\d+$/.test(value) &&
    URL.canParse(`http://${value}`)
  )
}

function isRedirectUri(value: unknown): boolean {
  return typeof value === 'string' && VISIBLE.test(value) && URL.canParse(value) && !value.includes('#')
}

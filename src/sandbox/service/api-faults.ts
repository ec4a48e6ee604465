import type { ServerResponse } from 'node:http'
import type { MiddlewareHandler } from 'hono'
import {
  type Checks,
  checkOptions,
  delayMs,
  flag,
  integer,
  option,
  optional,
  size,
  text,
} from '../../option-checks.ts'
import type { Closing } from '../delivery/closing.ts'
import { checkCopies, FAULTS, type Faults, freeze, limitFaults } from '../delivery/faults.ts'
import { HttpError } from '../http-error.ts'

/** Faults of one request to the API. */
export interface RequestFaults {
  /** Respond with this status and do nothing: 429, or 500 to 599. */
  readonly status?: number | undefined
  /** The `Retry-After` header, in seconds, from 0 to 86,400. @default 1 for 429, otherwise none */
  readonly retryAfterSeconds?: number | undefined
  /** The delay before the request is processed, in milliseconds, from 0 to 24.8 days. */
  readonly delayMs?: number | undefined
  /** Process the request, then close the connection without a response. */
  readonly loseResponse?: boolean | undefined
}

/** Faults of requests to the API: the grants, hello and the webhook operations. */
export interface ApiFaults extends RequestFaults {
  /** Affects only requests whose path starts with this, such as `/oauth/token`. */
  readonly path?: string | undefined
  /** How many of these requests have faults. @default no limit */
  readonly times?: number | undefined
}

/** Faults of notifications, and of the API. */
export interface SandboxFaults extends Faults {
  readonly api?: ApiFaults | undefined
}

const REQUEST_FAULTS = {
  status: optional(
    option<number>(
      '429 or an integer from 500 to 599',
      (value) => typeof value === 'number' && /^(?:429|5\d\d)$/.test(String(value)),
    ),
  ),
  retryAfterSeconds: optional(integer(0, 86_400)),
  delayMs: optional(delayMs(0)),
  loseResponse: optional(flag(false)),
} satisfies Checks<RequestFaults>

const API_FAULTS = {
  ...REQUEST_FAULTS,
  path: optional(text()),
  times: optional(size()),
} satisfies Checks<ApiFaults>

export const SANDBOX_FAULTS = {
  ...FAULTS,
  api: optional((_name, value) => freeze(checkOptions('faults.api', value, API_FAULTS))),
} satisfies Checks<SandboxFaults>

/** @throws TypeError if a fault is unknown or out of range */
export function checkSandboxFaults(faults: SandboxFaults = {}): SandboxFaults {
  const checked = checkOptions('faults', faults, SANDBOX_FAULTS)
  checkCopies(checked)
  return freeze(checked)
}

/**
 * Makes requests to the API fail.
 *
 * @param closing ends a delay early
 */
export function createFailingApi(closing: () => Closing) {
  let path = ''
  let nextFaults = limitFaults<RequestFaults>({})
  const fail: MiddlewareHandler = async (c, next) => {
    if (!c.req.path.startsWith(path)) return await next()
    const { status, retryAfterSeconds, delayMs = 0, loseResponse } = nextFaults()
    await closing().pause(delayMs)
    const after = retryAfterSeconds ?? (status === 429 ? 1 : undefined)
    const headers = after === undefined ? {} : { 'retry-after': String(after) }
    if (status !== undefined)
      throw new HttpError(status, `This is the requested fault ${status}`, '', headers)
    await next()
    if (loseResponse) (c.env as { outgoing?: ServerResponse }).outgoing?.destroy()
  }
  return {
    fail,
    set(faults: ApiFaults = {}): void {
      path = faults.path ?? ''
      nextFaults = limitFaults<RequestFaults>(faults, faults.times)
    },
  }
}

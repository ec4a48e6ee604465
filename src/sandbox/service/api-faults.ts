import type { ServerResponse } from 'node:http'
import type { MiddlewareHandler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { assertOptions, booleanOption, filledText, withinRange } from '../../option-checks.ts'
import type { Closing } from '../delivery/closing.ts'
import { FaultPlan, type Planned } from '../delivery/fault-plan.ts'
import { checkPlan, freeze, MAX_DELAY_MS, PLAN } from '../delivery/faults.ts'
import { serviceError } from './service-error.ts'

/** Faults of one request to the API. */
export interface RequestFaults {
  /** Respond with this status and do nothing: 429, or 500 to 599. */
  readonly status?: number | undefined
  /** The `Retry-After` header, in seconds, from 0 to 86,400. Default 1 for 429, otherwise none. */
  readonly retryAfterSeconds?: number | undefined
  /** The delay before the request is processed, in milliseconds, from 0 to 24.8 days. */
  readonly delayMs?: number | undefined
  /** Process the request, then close the connection without a response. */
  readonly loseAnswer?: boolean | undefined
}

/** Faults of requests to the API: the grants, hello and the webhook operations. */
export interface ApiFaults extends RequestFaults, Planned<RequestFaults> {
  /** Affects only requests whose path starts with this, such as `/oauth/token`. */
  readonly path?: string | undefined
}

const REQUEST_FAULTS = ['status', 'retryAfterSeconds', 'delayMs', 'loseAnswer'] as const

/** @throws TypeError if a fault is unknown or out of range */
export function checkApiFaults(faults: ApiFaults): ApiFaults {
  assertOptions(faults, [...REQUEST_FAULTS, ...PLAN, 'path'])
  const { path, sequence, times, chance, ...always } = faults
  if (path !== undefined) filledText('path', path)
  checkRequestFaults(always)
  checkPlan({ sequence, times, chance }, checkRequestFaults)
  return freeze(faults)
}

/** Makes requests to the API fail. */
export class FailingApi {
  readonly #closing: () => Closing
  #path = ''
  #plan: FaultPlan<RequestFaults> | undefined

  /** @param closing ends a delay early */
  constructor(closing: () => Closing) {
    this.#closing = closing
  }

  set(faults: ApiFaults | undefined): void {
    const { path = '', ...plan } = faults ?? {}
    this.#path = path
    this.#plan = faults && new FaultPlan<RequestFaults>(plan)
  }

  readonly fail: MiddlewareHandler = async (c, next) => {
    if (!this.#plan || !c.req.path.startsWith(this.#path)) return await next()
    const {
      status,
      retryAfterSeconds = status === 429 ? 1 : undefined,
      delayMs = 0,
      loseAnswer,
    } = this.#plan.next()
    await this.#closing().pause(delayMs)
    if (status !== undefined) {
      const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
      return serviceError(c, status as ContentfulStatusCode, `This is the requested fault ${status}`, headers)
    }
    await next()
    if (loseAnswer) (c.env as { outgoing?: ServerResponse }).outgoing?.destroy()
  }
}

function checkRequestFaults(faults: RequestFaults): void {
  assertOptions(faults, REQUEST_FAULTS)
  const { status, retryAfterSeconds, delayMs, loseAnswer } = faults
  if (status !== 429) withinRange('status', status, 500, 500, 599)
  withinRange('retryAfterSeconds', retryAfterSeconds, 0, 0, 86_400)
  withinRange('delayMs', delayMs, 0, 0, MAX_DELAY_MS)
  booleanOption('loseAnswer', loseAnswer, false)
}

import type { Samples } from './samples.ts'

export const EXPECTATIONS = {
  accepted: 'a 2xx',
  rejected: 'a 4xx',
  'rejected or closed': 'a 4xx, or a closed connection',
  'not accepted': 'anything but a 2xx',
  'not an error': 'a status below 500',
} as const

/** A request, as a value. */
export interface PlannedRequest {
  /** @default `POST` */
  readonly method?: 'POST' | 'PUT' | 'PATCH' | 'GET'
  readonly body: string | Uint8Array
  /** `null`: none. @default `application/json` */
  readonly contentType?: string | null
  /** Values of the signature header, a line each. */
  readonly signatures: readonly string[]
  /** @default `ACCESS-SIGNATURE`, as the service spells it */
  readonly signatureName?: string
  /**
   * How the body is sent. `in pieces`: three parts, some time after each other. `half`: the connection
   * is closed for writing after half of it. @default `whole`
   */
  readonly transfer?: 'whole' | 'chunked' | 'in pieces' | 'half'
  /** Replaces the path and the query of the URL. */
  readonly path?: string
  /** What the response has to be. */
  readonly expected: keyof typeof EXPECTATIONS
  /** Distinguishes it from the other requests of its case. */
  readonly label?: string
}

/** What came back for a request. */
export interface Exchange {
  readonly durationMs: number
  readonly status?: number
  /** Where a redirect leads. */
  readonly location?: string
  /** The body is longer than the limit, and was not read to its end. */
  readonly isCut?: boolean
  /** What the response has in it, although the request had not. */
  readonly revealed?: readonly string[]
  /** Why there is no complete response. */
  readonly failure?: 'unreachable' | 'closed' | 'timed out'
  /** The message of the failure, and its code. */
  readonly message?: string
  readonly code?: string
}

/**
 * `must`: the service, HTTP or JSON requires it, or a forged notification could get in. `should`: it is only
 * advice.
 */
export type CheckLevel = 'must' | 'should'

/** What a receiver or its URL has to have for a case. */
export interface Need {
  readonly what: string
  isMet(samples: Samples): boolean
}

export const A_PAYMENT: Need = { what: 'a kind of payment', isMet: ({ isPayment }) => isPayment }

interface CaseText {
  /** @default must */
  readonly level?: CheckLevel
  /** What is sent. */
  readonly title: string
  /** Why it matters. */
  readonly why: string
  /** How to mend a receiver that fails. */
  readonly mend: string
  /** What the status does not show, and where to look instead. */
  readonly unseen?: string
}

/** A case that sends requests. */
export interface SendingCase extends CaseText {
  /** Without it, the case is skipped. */
  readonly needs?: Need
  requests(samples: Samples): readonly PlannedRequest[]
  /** `beside a stalled one`: while another connection has sent half a body. @default `in turn` */
  readonly order?: 'in turn' | 'at once' | 'on one connection' | 'beside a stalled one'
}

/** A case that judges all responses of a run. */
export interface ReviewingCase extends CaseText {
  readonly expected: string
  /** What is wrong; `undefined` if nothing is. */
  review(exchanges: readonly Exchange[], limits: { readonly timeoutMs: number }): string | undefined
}

/** Cases by their ids, in the order in which they run. */
export type Cases<Case> = Readonly<Record<string, Case>>

export type CheckCase = (SendingCase | ReviewingCase) & { readonly id: string }

import type { Exchange, PlannedRequest } from './planned-request.ts'
import type { Samples } from './samples.ts'

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
  readonly why: string
  /** How to mend a receiver that fails. */
  readonly mend: string
  /** What the status does not show, and where to look instead. */
  readonly unseen?: string
}

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

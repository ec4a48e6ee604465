import type { CheckLevel, CheckResult } from './check-report.ts'
import type { SentCase } from './conclude.ts'
import type { Exchange, PlannedRequest } from './planned-request.ts'
import type { Samples } from './samples.ts'

/** What a receiver or its URL has to have for a case. */
export interface Need {
  readonly what: string
  isMet(samples: Samples): boolean
}

export const A_PAYMENT: Need = { what: 'a kind of payment', isMet: ({ isPayment }) => isPayment }

interface CaseText extends Pick<CheckResult, 'title' | 'why' | 'mend' | 'unseen'> {
  /** @default must */
  readonly level?: CheckLevel | undefined
}

export interface SendingCase extends CaseText {
  /** Without it, the case is skipped. */
  readonly needs?: Need
  requests(samples: Samples): readonly PlannedRequest[]
  /** Of its requests, which are about one payment. The others may be told to come again. */
  readonly oneIsEnough?: true
  /** `beside a stalled one`: while another connection has sent half a body. @default `in turn` */
  readonly order?: 'in turn' | 'at once' | 'on one connection' | 'beside a stalled one'
}

/** A case that judges all responses of a run. */
export interface ReviewingCase extends CaseText {
  readonly expected: string
  /** What is wrong; `undefined` if nothing is. */
  review(
    exchanges: readonly Exchange[],
    limits: { readonly timeoutMs: number },
    sent: readonly SentCase[],
  ): string | undefined
}

/** Cases by their ids, in the order in which they run. */
export type Cases<Case> = Readonly<Record<string, Case>>

export type CheckCase = (SendingCase | ReviewingCase) & { readonly id: string }

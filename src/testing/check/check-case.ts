import type { CheckLevel, CheckResult } from './check-report.ts'
import type { Exchange, PlannedRequest } from './planned-request.ts'
import type { Draft, Samples } from './samples.ts'

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

/** Requests, by their labels if there are several. */
export type Requests = Drafts | ((samples: Samples) => Drafts)
type Drafts = readonly Draft[] | Readonly<Record<string, Draft>>

export interface SendingCase extends CaseText {
  /** Without it, the case is skipped. */
  readonly needs?: Need
  /** @default a plain notification */
  readonly requests?: Requests
  /** What the responses have to be, unless a request says otherwise. */
  readonly expects?: PlannedRequest['expected']
  /** Of its requests, which are about one payment. The others may be told to come again. */
  readonly oneIsEnough?: true
  /** `beside a stalled one`: while another connection has sent half a body. @default `in turn` */
  readonly order?: 'in turn' | 'at once' | 'on one connection' | 'beside a stalled one'
}

/** What came back so far, by the ids of the cases. Fewer exchanges than requests if the check stopped. */
export type Sent = ReadonlyMap<string, readonly Exchange[]>

/** A case that judges all responses of a run. */
export interface ReviewingCase extends CaseText {
  readonly expected: string
  /** What is wrong; `undefined` if nothing is. */
  review(exchanges: readonly Exchange[], run: Reviewed): string | undefined
}

export interface Reviewed {
  readonly sent: Sent
  readonly samples: Samples
  readonly timeoutMs: number
}

/** Cases by their ids, in the order in which they run. */
export type Cases<Case> = Readonly<Record<string, Case>>

export type CheckCase = (SendingCase | ReviewingCase) & { readonly id: string }

export function toDrafts(requests: Requests, samples: Samples): Draft[] {
  const drafts = typeof requests === 'function' ? requests(samples) : requests
  return Object.entries(drafts).map(([label, draft]) => ({ label, ...draft }))
}

import { RAW_BYTES } from './cases/byte-cases.ts'
import type { SendingCase } from './check-case.ts'
import type { CheckResult } from './check-report.ts'
import { ADVICE, LOG } from './conclude.ts'
import { exchange, type Receiver } from './exchange.ts'
import { findContent } from './find-content.ts'
import { findMistake, REJECTS, WRONG } from './find-mistake.ts'
import { isAccepted } from './judge.ts'
import type { Exchange, PlannedRequest } from './planned-request.ts'
import type { Samples } from './samples.ts'

/** To look for a cause takes up to some 70 requests. */
const MAX_GUESSES = 200
/** To write a larger one otherwise makes it smaller. */
const MAX_WRITTEN = 100_000

/** Why a genuine notification was not accepted, and what its result says instead of its case. */
export interface Cause extends Partial<Pick<CheckResult, 'level' | 'why' | 'mend'>> {
  readonly text: string
  /** What is rejected, if that is known: a signature, what it signs, or one of both. */
  readonly kind?: 'signature' | 'content' | 'either'
}

/** Statuses of receivers that reject a signature. */
const REJECTIONS = [400, 401, 403, 404, 422]

const LATE: Cause = {
  text: 'Does an exception, or a kind or a status without a branch, leave it without a response? If it works for long, store the notification, respond, and process it from a queue.',
}
const WAITS: Cause = { text: 'Does it wait for as many letters as Content-Length has bytes?' }
const FAILED: Cause = { text: LOG, kind: 'either' }
const OF_CONTENT: Cause = {
  text: 'It accepts the signature, as a wrong one gets another status, but rejects something else. Look into its log.',
  kind: 'content',
}
const ONLY_ONCE: Cause = {
  text: `The same request again gets a 2xx: was it remembered before it was handled? Then the next attempt is skipped as a duplicate, and it is lost. Or it failed by chance. ${LOG}`,
}
const CONTENDED: Cause = {
  text: `Alone, it accepts the same request: is a row there already, a database locked, or a pool empty? ${LOG}`,
}
const AT_ONCE: Cause = {
  text: `${REJECTS} the same request alone. Others at the same time change what it keeps.`,
  kind: 'signature',
  why: 'The service does not wait for the response to one notification before it sends the next.',
  mend: 'Keep the body, the signature, the HMAC and the result of a request in local variables.',
}

type CaseWithId = SendingCase & { readonly id: string }

/** Finds out why genuine requests are not accepted. */
export class CauseFinder {
  readonly #receiver: Receiver
  readonly #samples: Samples
  /** Since a cause was found. */
  #guesses = 0
  /** By the content that is rejected: the first case that had it. */
  readonly #contents = new Map<string, CaseWithId>()

  constructor(receiver: Receiver, samples: Samples) {
    this.#receiver = receiver
    this.#samples = samples
  }

  async find(one: CaseWithId, rejected: Exchange): Promise<Cause | undefined> {
    const cause = await (one.id === 'plain' ? this.#ofFirst(rejected) : this.#ofLater(one, rejected))
    if (cause?.kind === 'content' || cause?.kind === 'either')
      return await this.#withContent(cause, one, rejected.request)
    // Accepting another signature is no matter of size.
    return cause?.kind === 'signature' && one.order === 'at once' ? { ...cause, level: 'must' } : cause
  }

  async #ofFirst(rejected: Exchange): Promise<Cause | undefined> {
    const { status = 0, failure } = rejected
    const protocol = failure !== undefined || status === 400 ? await findProtocol(this.#receiver) : undefined
    if (protocol !== undefined) return { text: protocol }
    if (failure !== undefined || ![...REJECTIONS, 500].includes(status)) return undefined
    return await this.#ofSignature(rejected)
  }

  async #ofLater({ order }: SendingCase, rejected: Exchange): Promise<Cause | undefined> {
    const { request, status = 0, failure } = rejected
    const isUsual = order === undefined && request.transfer === undefined
    if (failure === 'timed out' && /[^\0-\x7f]/.test(String(request.body))) return WAITS
    // Others wait for more of the body, or for the sender before.
    if (failure === 'timed out') return isUsual ? LATE : undefined
    if (failure !== undefined) return failure === 'closed' && isUsual ? FAILED : undefined
    const isSentAgain = order === 'at once' || (order === undefined && status === 500)
    if (isSentAgain && (await this.#isAccepted(request)))
      return order === undefined ? ONLY_ONCE : await this.#ofContention(rejected)
    // Many receivers reject a signature with 400. A 500 may be gone when it is sent again.
    if (!REJECTIONS.includes(status)) return ofStatus(status)
    if (this.#guesses >= MAX_GUESSES) return undefined
    if (request.transfer !== 'slowly') return await this.#ofSignature(rejected)
    // Without a cause, the case says that it took too long.
    const quick = { ...request, transfer: 'in pieces' } as const
    return (await this.#isAccepted(quick))
      ? undefined
      : await this.#ofSignature({ ...rejected, request: quick })
  }

  /** Of requests at the same time, each of which is accepted alone. */
  async #ofContention({ request, status = 0 }: Exchange): Promise<Cause | undefined> {
    const forged = await exchange(this.#receiver, { ...request, signatures: [WRONG] })
    if (forged.status === status) return AT_ONCE
    return status === 500 ? CONTENDED : ofStatus(status)
  }

  async #ofSignature(rejected: Exchange): Promise<Cause | undefined> {
    const text = await findMistake(rejected, this.#samples, this.#guess)
    if (text === undefined) return undefined
    this.#guesses = 0
    return text === null ? OF_CONTENT : { text, kind: 'signature' }
  }

  /** Names the part of the content that is rejected. */
  async #withContent(cause: Cause, one: CaseWithId, request: PlannedRequest): Promise<Cause> {
    const { order = 'at once' } = one
    if (request.body.length > MAX_WRITTEN || order !== 'at once' || this.#guesses >= MAX_GUESSES) return cause
    const content = await findContent(request, this.#samples, this.#guess)
    if (content === undefined) return cause
    this.#guesses = 0
    const text = `${cause.text} ${content}`
    const first = this.#contents.get(text) ?? one
    this.#contents.set(text, first)
    const { mend } = first.id.startsWith('kind-') || one.order === 'at once' ? first : one
    return { ...cause, text, mend: cause.kind === 'content' ? mend.replace(RAW_BYTES, '') : mend }
  }

  readonly #guess = async (request: PlannedRequest): Promise<Exchange> => {
    this.#guesses++
    return await exchange(this.#receiver, request)
  }

  async #isAccepted(request: PlannedRequest): Promise<boolean> {
    return isAccepted((await exchange(this.#receiver, request)).status)
  }
}

/** What a status says that its case does not. */
function ofStatus(status: number): Cause | undefined {
  if (status < 500 && ![411, 413, 415].includes(status)) return undefined
  const text = ADVICE[status]
  return text === undefined ? FAILED : { text }
}

/** Whether the port speaks TLS although the URL has http, or the other way round. */
async function findProtocol(receiver: Receiver): Promise<string | undefined> {
  const { protocol, hostname, port } = new URL(receiver.url)
  const isTls = protocol === 'https:'
  const url = isTls ? `http://${hostname}:${port || 443}/` : `https://${hostname}:${port || 80}/`
  const request: PlannedRequest = { method: 'GET', body: '', signatures: [], expected: 'rejected' }
  const { status, code = '' } = await exchange({ ...receiver, url }, request)
  // A certificate that is not trusted is one.
  if (status === undefined && !/CERT|LEAF/.test(code)) return undefined
  return isTls
    ? 'The port speaks HTTP without TLS: use http:// in the URL.'
    : 'The port speaks TLS: use https:// in the URL.'
}

import { Buffer } from 'node:buffer'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { RAW_BYTES } from './cases/byte-cases.ts'
import type { CheckCase, SendingCase } from './check-case.ts'
import type { CheckedCheckOptions } from './check-options.ts'
import type { CheckResult } from './check-report.ts'
import { adviseOn, LOG, ONLY_ONCE, type SentCase, toDeadEnd } from './conclude.ts'
import { type ExchangeLimits, exchange, openStalled, type Secret } from './exchange.ts'
import { findContent, findMistake, findProtocol, OF_CONTENT, REJECTS, WRONG } from './find-cause.ts'
import { describe, isAccepted, isClosed, isTolerable } from './judge.ts'
import type { Exchange, PlannedRequest } from './planned-request.ts'
import type { Target } from './resolve-target.ts'
import { createSamples, type Samples } from './samples.ts'

/** In a row. */
const MAX_TIMEOUTS = 3
/** To look for a cause takes up to some 70 requests. */
const MAX_GUESSES = 200
/** Shorter ones may be in a response by chance. */
const MIN_SECRET = 8
const MAX_HASHED = 1_000_000
const LATE =
  'Does an exception leave it without a response? If it works for long, store the notification, respond, and process it from a queue.'
const WAITS = 'Does it wait for as many letters as Content-Length has bytes?'
const AT_ONCE = `${REJECTS} the same request alone. Others at the same time change what it keeps.`
const CONTENDED = `Alone, it accepts the same request: is a row there already, a database locked, or a pool empty? ${LOG}`
const OVERLAP = 'The service does not wait for the response to one notification before it sends the next.'
const LOCAL = 'Keep the body, the signature, the HMAC and the result of a request in local variables.'
/** To write a larger one otherwise makes it smaller. */
const MAX_WRITTEN = 100_000

/** Runs the cases one after the other, until a result makes the rest pointless. */
export class CheckRun {
  readonly #target: Target
  readonly #samples: Samples
  readonly #limits: ExchangeLimits
  readonly sent: SentCase[] = []
  #timeouts = 0
  /** Since a cause was found. */
  #guesses = 0
  /** Why the rest is skipped. */
  stopped: string | undefined
  /** By the content that is rejected: the first case that had it. */
  readonly #contents = new Map<string, CheckCase>()
  /** Why the first notification was not accepted, if it is known. */
  cause: string | undefined

  constructor(options: CheckedCheckOptions, target: Target) {
    const { timeoutMs, signal = new AbortController().signal } = options
    this.#target = target
    this.#samples = createSamples({ ...options, url: target.url })
    this.#limits = { timeoutMs, signal }
  }

  async run(one: CheckCase): Promise<CheckResult> {
    const isFirst = one.id === 'plain' || one.id.startsWith('kind-')
    if (!isFirst) this.stopped ??= toDeadEnd(this.sent)
    const { signal } = this.#limits
    const isOpen = this.stopped === undefined && !signal.aborted
    if (!('review' in one)) {
      try {
        if (isOpen) return await this.#send(one)
      } catch (error) {
        if (!signal.aborted) throw error
      }
    } else if (toDeadEnd(this.sent) === undefined) {
      const exchanges = this.sent.flatMap((each) => each.exchanges)
      const wrong = one.review(exchanges, this.#limits, this.sent)
      // What is wrong in some responses is wrong in all. What is not may only be missing.
      if (isOpen || wrong !== undefined)
        return toResult(one, wrong === undefined ? 'passed' : 'failed', one.expected, wrong ?? 'as expected')
    }
    this.stopped ??= 'the check was interrupted'
    return toResult(one, 'skipped', '', this.stopped)
  }

  async #send(one: CheckCase & SendingCase): Promise<CheckResult> {
    if (one.needs?.isMet(this.#samples) === false)
      return toResult(one, 'skipped', '', `needs ${one.needs.what}`)
    const planned = one.requests(this.#samples)
    const startedAt = performance.now()
    const exchanges = await this.#exchangeAll(one, planned)
    const durationMs = Math.round(performance.now() - startedAt)
    const previous = this.sent.at(-1)
    this.sent.push({ id: one.id, planned, exchanges })
    if (previous !== undefined && exchanges.every(({ failure }) => failure === 'unreachable')) {
      this.stopped = `the receiver ended after "${previous.id}"`
      return toResult(one, 'skipped', '', this.stopped)
    }
    const { wrong, expected, observed } = describe(planned, exchanges)
    const rejected = wrong.find(({ request }) => request.expected === 'accepted')
    const mistake = rejected && (await this.#findCause(one, rejected.request, rejected.exchange))
    const cause = rejected && mistake && (await this.#withContent(mistake, one, rejected.request))
    if (previous === undefined) this.cause = cause
    this.stopped = await this.#toStop(one, exchanges)
    const outcome = wrong.length === 0 ? 'passed' : 'failed'
    const oneAccepted = one.oneIsEnough === true && wrong.length < planned.length
    const closesForged = this.sent.some((each) => each.id === 'wrong-key' && each.exchanges.every(isClosed))
    const isAdvice = outcome === 'failed' && isTolerable(wrong, { closesForged, oneAccepted })
    const level = isAdvice ? 'should' : one.level
    const details = { durationMs, ...(cause !== undefined && { cause }) }
    return toResult({ ...one, level, ...this.#adviceOn(one, cause) }, outcome, expected, observed, details)
  }

  /** What to say instead, if a cause is not what the case is about. */
  #adviceOn(one: CheckCase & SendingCase, cause = ''): Partial<CheckResult> {
    if (cause === AT_ONCE) return { level: 'must', why: OVERLAP, mend: LOCAL }
    // Accepting another signature is no matter of size.
    if (one.order === 'at once' && cause.startsWith(REJECTS)) return { level: 'must' }
    if (![OF_CONTENT, LOG].some((text) => cause.startsWith(`${text} `))) return {}
    const first = this.#contents.get(cause) ?? one
    this.#contents.set(cause, first)
    const { mend } = first.id.startsWith('kind-') || one.order === 'at once' ? first : one
    return { mend: cause.startsWith(OF_CONTENT) ? mend.replace(RAW_BYTES, '') : mend }
  }

  async #toStop({ id }: CheckCase, exchanges: readonly Exchange[]): Promise<string | undefined> {
    const isFirst = this.sent.length === 1
    if (isFirst && exchanges.every(({ status }) => status === undefined))
      return 'there was no response to the first notification'
    if (isFirst && this.cause !== undefined && !this.cause.startsWith(OF_CONTENT))
      return 'the first notification was not accepted'
    if (exchanges.some(({ status }) => status === 429)) return 'the receiver limits the rate'
    if (this.#timeouts >= MAX_TIMEOUTS) return `${MAX_TIMEOUTS} requests in a row had no response`
    if (exchanges.some(({ failure }) => failure === 'unreachable')) return `the receiver ended during "${id}"`
    if (exchanges.at(-1)?.failure !== 'timed out' || isFirst) return undefined
    const { failure, status } = await this.#exchange(this.#samples.signed(this.#samples.body()))
    const isSilent = failure === 'timed out' && status === undefined
    return isSilent ? `the receiver responds to nothing after "${id}"` : undefined
  }

  /** Why a genuine request was not accepted, if it can be found out. */
  async #findCause(
    { order }: SendingCase,
    planned: PlannedRequest,
    { status, failure }: Exchange,
  ): Promise<string | undefined> {
    const isFirst = this.sent.length === 1
    const mayBeProtocol = isFirst && (failure !== undefined || status === 400)
    const protocol = mayBeProtocol ? await findProtocol(this.#target, this.#limits) : undefined
    if (protocol !== undefined) return protocol
    const isUnusual = order !== undefined || planned.transfer !== undefined
    if (failure === 'timed out' && !isFirst) {
      if (Buffer.from(planned.body).some((byte) => byte > 127)) return WAITS
      // Others wait for more of the body, or for the sender before.
      return isUnusual ? undefined : LATE
    }
    if (failure !== undefined || status === undefined)
      return failure === 'closed' && !isFirst && !isUnusual ? LOG : undefined
    if (!isFirst && (order === 'at once' || (order === undefined && status === 500))) {
      const isAlone = isAccepted((await this.#exchange(planned)).status)
      if (isAlone && order === undefined) return ONLY_ONCE
      const wrong = isAlone && (await this.#exchange({ ...planned, signatures: [WRONG] })).status
      if (isAlone) return wrong === status ? AT_ONCE : status === 500 ? CONTENDED : adviseOn(status)
    }
    // Many receivers reject a signature with 400. A later 500 may be gone when it is sent again.
    if (![400, 401, 403, 422].includes(status) && !(isFirst && status === 500))
      return isFirst ? undefined : adviseOn(status)
    if (this.#guesses >= MAX_GUESSES) return undefined
    // Without a cause, the case says that it took too long.
    const quick = planned.transfer === 'slowly' ? ({ ...planned, transfer: 'in pieces' } as const) : planned
    if (quick !== planned && isAccepted((await this.#exchange(quick)).status)) return undefined
    const mistake = await findMistake(quick, status, this.#samples, (request) => {
      this.#guesses++
      return this.#exchange(request)
    })
    if (mistake !== undefined) this.#guesses = 0
    return mistake
  }

  /** Names the part of the content that is rejected. */
  async #withContent(cause: string, { order }: SendingCase, planned: PlannedRequest): Promise<string> {
    const isOther = (cause !== OF_CONTENT && cause !== LOG) || planned.body.length > MAX_WRITTEN
    if (isOther || (order ?? 'at once') !== 'at once' || this.#guesses >= MAX_GUESSES) return cause
    const content = await findContent(planned, this.#samples, (request) => {
      this.#guesses++
      return this.#exchange(request)
    })
    if (content === undefined) return cause
    this.#guesses = 0
    return `${cause} ${content}`
  }

  async #exchangeAll({ order }: SendingCase, planned: readonly PlannedRequest[]): Promise<Exchange[]> {
    if (order === 'at once') return await Promise.all(planned.map((one) => this.#exchange(one)))
    const [first] = planned
    const closeStalled =
      order === 'beside a stalled one' && first
        ? await openStalled(this.#target, first, this.#limits.timeoutMs)
        : undefined
    const agent = order === 'on one connection' ? this.#openAgent() : undefined
    try {
      const exchanges: Exchange[] = []
      for (const one of planned) {
        const each = await this.#exchange(one, agent)
        exchanges.push(each)
        const isTimedOut = each.failure === 'timed out'
        this.#timeouts = isTimedOut ? this.#timeouts + 1 : 0
        if (isTimedOut || each.status === 429) break
      }
      return exchanges
    } finally {
      closeStalled?.()
      agent?.destroy()
    }
  }

  #openAgent(): HttpAgent {
    const options = { keepAlive: true, maxSockets: 1 }
    return this.#target.url.startsWith('https:') ? new HttpsAgent(options) : new HttpAgent(options)
  }

  async #exchange(one: PlannedRequest, agent?: HttpAgent): Promise<Exchange> {
    return await exchange(this.#target, one, this.#limits, this.#secretsFor(one), agent)
  }

  /** What the response must not have in it: no more than what the request had. */
  #secretsFor({ body, signatures, path }: PlannedRequest): readonly Secret[] {
    const { clientId, clientSecret = '', token = '', path: ownPath, signatureOf } = this.#samples
    const given = `${new URL(this.#target.url).origin}${path ?? ownPath} ${signatures}`
    // To hash a huge body takes longer than to send it.
    const digits = body.length > MAX_HASHED ? '' : signatureOf(body)
    const digest = Buffer.from(digits, 'hex')
    // The last two: a buffer in JSON, and as Node prints it.
    const bytes = [digest.join(), digits.replace(/..(?!$)/g, '$& ')]
    const forms = [digits, digits.toUpperCase(), digest.toString('base64'), ...bytes]
    const isGiven = forms.some((form) => given.includes(form))
    const secrets: readonly Secret[] = [
      ['the client id', clientId],
      // PHP writes no more of a text in a trace.
      ['the start of the client id', clientId.length > 15 ? `${clientId.slice(0, 15)}...` : ''],
      ['the client secret', clientSecret],
      ['the callback token', token],
      ...(isGiven ? [] : forms).map((form): Secret => ['the right signature', form]),
    ]
    return secrets.filter(([, text]) => text.length >= MIN_SECRET && !given.includes(text))
  }
}

function toResult(
  { id, level = 'must', title, why, mend, unseen }: CheckCase,
  outcome: CheckResult['outcome'],
  expected: string,
  observed: string,
  details: Partial<CheckResult> = {},
): CheckResult {
  const texts = { title, expected, observed, why, mend, ...(unseen !== undefined && { unseen }) }
  return { id, level, outcome, ...texts, durationMs: 0, ...details }
}

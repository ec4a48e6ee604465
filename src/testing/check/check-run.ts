import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { type CheckCase, type ReviewingCase, type SendingCase, toDrafts } from './check-case.ts'
import type { CheckedCheckOptions } from './check-options.ts'
import type { CheckResult } from './check-report.ts'
import { allOf, toDeadEnd } from './conclude.ts'
import { exchange, openStalled, type Receiver } from './exchange.ts'
import { type Cause, CauseFinder } from './find-cause.ts'
import { describe, isClosed, isTolerable } from './judge.ts'
import type { Exchange, PlannedRequest } from './planned-request.ts'
import type { Target } from './resolve-target.ts'
import { createSamples, type Samples } from './samples.ts'

/** One of its form, right or not. A proxy may close the connection of others. */
const SIGNATURE = /^[\da-f]{64}$/

/** In a row. */
const MAX_TIMEOUTS = 3

/** Runs the cases one after the other, until a result makes the rest pointless. */
export class CheckRun {
  readonly #receiver: Receiver
  readonly #samples: Samples
  readonly #causes: CauseFinder
  readonly sent = new Map<string, readonly Exchange[]>()
  #timeouts = 0
  /** Why the rest is skipped. */
  stopped: string | undefined

  constructor(options: CheckedCheckOptions, target: Target) {
    const { timeoutMs, signal = new AbortController().signal } = options
    this.#receiver = { ...target, timeoutMs, signal }
    this.#samples = createSamples({ ...options, url: target.url })
    this.#causes = new CauseFinder(this.#receiver, this.#samples)
  }

  async run(one: CheckCase): Promise<CheckResult> {
    const isFirst = one.id === 'plain' || one.id.startsWith('kind-')
    if (!isFirst) this.stopped ??= toDeadEnd(this.sent)
    const { signal } = this.#receiver
    if ('review' in one) return this.#review(one)
    try {
      if (this.stopped === undefined && !signal.aborted) return await this.#send(one)
    } catch (error) {
      if (!signal.aborted) throw error
    }
    return this.#skip(one)
  }

  #skip(one: CheckCase): CheckResult {
    this.stopped ??= 'the check was interrupted'
    return toResult(one, 'skipped', '', this.stopped)
  }

  #review(one: CheckCase & ReviewingCase): CheckResult {
    if (toDeadEnd(this.sent) !== undefined) return this.#skip(one)
    const { timeoutMs, signal } = this.#receiver
    const { sent } = this
    const wrong = one.review(allOf(sent), { sent, timeoutMs, samples: this.#samples })
    // What is wrong in some responses is wrong in all. What is not may only be missing.
    if (wrong !== undefined) return toResult(one, 'failed', one.expected, wrong)
    if (this.stopped !== undefined || signal.aborted) return this.#skip(one)
    return toResult(one, 'passed', one.expected, 'as expected')
  }

  async #send(one: CheckCase & SendingCase): Promise<CheckResult> {
    const { id, needs, requests = [{}], expects } = one
    if (needs?.isMet(this.#samples) === false) return toResult(one, 'skipped', '', `needs ${needs.what}`)
    const planned = toDrafts(requests, this.#samples).map((draft) =>
      this.#samples.plan({ ...(expects && { expected: expects }), ...draft }),
    )
    const startedAt = performance.now()
    const exchanges = await this.#exchangeAll(one, planned)
    const durationMs = Math.round(performance.now() - startedAt)
    const previous = [...this.sent.keys()].at(-1)
    this.sent.set(id, exchanges)
    if (previous !== undefined && exchanges.every(({ failure }) => failure === 'unreachable')) {
      this.stopped = `the receiver ended after "${previous}"`
      return this.#skip(one)
    }
    const { wrong, expected, observed } = describe(exchanges, planned.length, allOf(this.sent))
    const rejected = wrong.find(({ request }) => request.expected === 'accepted')
    const cause = rejected && (await this.#causes.find(one, rejected))
    this.stopped = await this.#toStop(exchanges, cause)
    if (wrong.length === 0) return toResult(one, 'passed', expected, observed, { durationMs })
    const oneAccepted = one.oneIsEnough === true && wrong.length < planned.length
    const closes = ({ signatures }: PlannedRequest) => {
      const plainest = SIGNATURE.test(signatures.join()) ? 'wrong-key' : 'signature-missing'
      return this.sent.get(plainest)?.every(isClosed) ?? false
    }
    const level = isTolerable(wrong, closes, oneAccepted) ? 'should' : one.level
    const details = { durationMs, ...(cause && { cause: cause.text }) }
    return toResult({ ...one, level, ...cause }, 'failed', expected, observed, details)
  }

  async #toStop(exchanges: readonly Exchange[], cause: Cause | undefined): Promise<string | undefined> {
    const id = [...this.sent.keys()].at(-1)
    const isFirst = this.sent.size === 1
    if (isFirst && exchanges.every(({ status }) => status === undefined))
      return 'there was no response to the first notification'
    if (isFirst && cause !== undefined && cause.kind !== 'content')
      return 'the first notification was not accepted'
    if (exchanges.some(({ status }) => status === 429)) return 'the receiver limits the rate'
    if (this.#timeouts >= MAX_TIMEOUTS) return `${MAX_TIMEOUTS} requests in a row had no response`
    if (exchanges.some(({ failure }) => failure === 'unreachable')) return `the receiver ended during "${id}"`
    if (exchanges.at(-1)?.failure !== 'timed out' || isFirst) return undefined
    const { failure, status } = await exchange(this.#receiver, this.#samples.plan())
    const isSilent = failure === 'timed out' && status === undefined
    return isSilent ? `the receiver responds to nothing after "${id}"` : undefined
  }

  async #exchangeAll({ order }: SendingCase, planned: readonly PlannedRequest[]): Promise<Exchange[]> {
    const receiver = this.#receiver
    if (order === 'at once') return await Promise.all(planned.map((one) => exchange(receiver, one)))
    const isBesideStalled = order === 'beside a stalled one'
    const closeStalled = isBesideStalled ? await openStalled(receiver, this.#samples.plan()) : undefined
    const agent = order === 'on one connection' ? openAgent(receiver) : undefined
    try {
      const exchanges: Exchange[] = []
      for (const one of planned) {
        const each = await exchange(receiver, one, agent)
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
}

/** Keeps one connection. */
function openAgent({ url }: Receiver): HttpAgent {
  const options = { keepAlive: true, maxSockets: 1 }
  return url.startsWith('https:') ? new HttpsAgent(options) : new HttpAgent(options)
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

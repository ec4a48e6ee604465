import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'
import type { CheckCase, ReviewingCase, SendingCase } from './check-case.ts'
import type { CheckedCheckOptions } from './check-options.ts'
import type { CheckResult } from './check-report.ts'
import { type Exchange, exchange, openStalled } from './exchange.ts'
import { describe, isAccepted } from './judge.ts'
import type { PlannedRequest } from './planned-request.ts'
import type { Target } from './resolve-target.ts'
import { createSamples, type Samples } from './samples.ts'

/** A case with its requests and what came back. */
export interface SentCase {
  readonly id: string
  readonly planned: readonly PlannedRequest[]
  readonly exchanges: readonly Exchange[]
}

/** How long to wait for a receiver that has ended: something may start it again. */
const RESTART_MS = 3_000
const RETRY_MS = 100

/** Runs the cases one after the other, until a result makes the rest pointless. */
export class CheckRun {
  readonly #options: CheckedCheckOptions
  readonly #target: Target
  readonly #samples: Samples
  readonly #signal: AbortSignal
  readonly sent: SentCase[] = []
  /** Why the rest is skipped. */
  stopped: string | undefined

  constructor(options: CheckedCheckOptions, target: Target) {
    this.#options = options
    this.#target = target
    this.#samples = createSamples({ ...options, token: target.token })
    this.#signal = options.signal ?? new AbortController().signal
  }

  /** @throws the reason of the signal, if it is aborted */
  async run(one: CheckCase): Promise<CheckResult> {
    this.#signal.throwIfAborted()
    const isFirst = one.id === 'plain' || one.id.startsWith('kind-')
    if (!isFirst && !this.#sentSoFar().some(({ status }) => isAccepted(status)))
      this.stopped ??= 'no notification was accepted'
    if (this.stopped !== undefined) return toResult(one, 'skipped', '', this.stopped)
    return 'review' in one ? this.#review(one) : await this.#send(one)
  }

  #review(one: ReviewingCase): CheckResult {
    const wrong = one.review(this.#sentSoFar(), this.#options)
    return toResult(one, wrong === undefined ? 'passed' : 'failed', one.expected, wrong ?? 'as expected')
  }

  async #send(one: SendingCase): Promise<CheckResult> {
    const planned = one.requests(this.#samples)
    if (planned.length === 0) return toResult(one, 'skipped', '', `needs ${one.needs}`)
    const startedAt = performance.now()
    const exchanges = await this.#exchangeAll(one, planned)
    const durationMs = Math.round(performance.now() - startedAt)
    const previous = this.sent.at(-1)
    this.sent.push({ id: one.id, planned, exchanges })
    const { isRight, expected, observed } = describe(planned, exchanges)
    const isGone = exchanges.some(({ failure }) => failure === 'unreachable')
    if (previous === undefined && exchanges.every(({ status }) => status === undefined))
      this.stopped = 'there was no response to the first notification'
    else if (isGone && !(await this.#comesBack()))
      this.stopped = `the receiver ended, and does not accept connections any more`
    const ended = exchanges[0]?.failure === 'unreachable' ? ` after "${previous?.id}"` : ''
    const note = isGone && previous ? `; the receiver ended${ended}` : ''
    return toResult(one, isRight ? 'passed' : 'failed', expected, observed + note, durationMs)
  }

  async #exchangeAll(
    { order = 'in turn' }: SendingCase,
    planned: readonly PlannedRequest[],
  ): Promise<Exchange[]> {
    if (order === 'at once') return await Promise.all(planned.map((one) => this.#exchange(one)))
    const [first] = planned
    const closeStalled =
      order === 'beside a stalled one' && first
        ? await openStalled(this.#target, first, this.#options.timeoutMs)
        : undefined
    const agent = order === 'on one connection' ? this.#openAgent() : undefined
    try {
      const exchanges: Exchange[] = []
      for (const one of planned) exchanges.push(await this.#exchange(one, agent))
      return exchanges
    } finally {
      closeStalled?.()
      agent?.destroy()
    }
  }

  #openAgent(): HttpAgent {
    const options = { keepAlive: true, maxSockets: 1 }
    return this.#target.href.startsWith('https:') ? new HttpsAgent(options) : new HttpAgent(options)
  }

  async #exchange(one: PlannedRequest, agent?: HttpAgent): Promise<Exchange> {
    const { timeoutMs } = this.#options
    const right = this.#samples.signatureOf(one.body)
    const secret = one.signatures.some((value) => value.toLowerCase().includes(right)) ? undefined : right
    return await exchange(this.#target, one, { timeoutMs, signal: this.#signal }, secret, agent)
  }

  async #comesBack(): Promise<boolean> {
    const probe: PlannedRequest = { method: 'GET', body: '', signatures: [], expected: 'rejected' }
    for (let waitedMs = 0; waitedMs < RESTART_MS; waitedMs += RETRY_MS) {
      await delay(RETRY_MS, undefined, { signal: this.#signal })
      if ((await this.#exchange(probe)).failure !== 'unreachable') return true
    }
    return false
  }

  #sentSoFar(): Exchange[] {
    return this.sent.flatMap(({ exchanges }) => exchanges)
  }
}

function toResult(
  { id, level, title, why, mend, unseen }: CheckCase,
  outcome: CheckResult['outcome'],
  expected: string,
  observed: string,
  durationMs = 0,
): CheckResult {
  const texts = { title, expected, observed, why, mend, ...(unseen !== undefined && { unseen }) }
  return { id, level, outcome, ...texts, durationMs }
}

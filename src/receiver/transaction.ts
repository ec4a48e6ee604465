import { abortContext, type Webhook } from '../notification/open-notification.ts'
import { withTimeLimit } from '../time-limit.ts'

declare const ranIn: unique symbol

/** What `run` resolves to, and so the `transaction` option: it gives `context.tx` its type. */
export interface RanIn<Tx> {
  readonly [ranIn]: Tx
}

/**
 * Inserts a key where it is unique, in the transaction. Resolves to whether it was new. It has to wait for a
 * transaction that inserts the same key, as unique constraints do. `entryKey` is the entry's own key, which the
 * claim of a PostgreSQL inbox needs: it is another one if the `idempotencyKey` option returns a key.
 */
export type Claim = (key: string, entryKey?: string) => PromiseLike<boolean> | boolean

/**
 * Runs the handlers of one notification with `context.tx`, unless its key was claimed before. Rejects if a
 * handler fails, so that the transaction is rolled back. Call it again if the transaction is repeated.
 */
export type RunHandlers = <Tx>(tx: Tx, claim: Claim) => Promise<RanIn<Tx>>

/** Calls `run` in a transaction of the application's database, and resolves once that is committed. */
export type TransactionOption<Tx> = (run: RunHandlers) => PromiseLike<RanIn<Tx>>

interface Steps {
  /** What is claimed. */
  readonly key: string
  /** Claimed, too, if the key is that of a replay: the handlers may not have done it before. */
  readonly fact: string
  readonly entryKey: string
  readonly signal: AbortSignal
  /** Each run gets an event and a context of its own, as handlers may change them. */
  open(tx: unknown): Webhook
  handle(webhook: Webhook): Promise<unknown>
  /** Called instead if the key was claimed before. */
  skip(): void
}

/**
 * - `beginning`: `run` was not called yet
 * - `running`: the key is claimed, then the handlers run
 * - `ending`: `run` has settled. The application commits, rolls back, or repeats the transaction with another
 *   run
 * - `over`: the attempt has ended, or ends with the handlers
 */
type Phase = 'beginning' | 'running' | 'ending' | 'over'

const DEFAULT_LIMIT_MS = 30_000

/**
 * Runs the handlers of an attempt in a transaction. Rejects unless it was committed, now or by an earlier
 * attempt.
 *
 * @param limitMs how long the transaction may take to begin, to claim the key and to end, each
 */
export async function inTransaction(
  transaction: TransactionOption<unknown>,
  limitMs = DEFAULT_LIMIT_MS,
  { key, fact, entryKey, signal, open, handle, skip }: Steps,
): Promise<void> {
  let phase = 'beginning' as Phase
  let timer: ReturnType<typeof setTimeout> | undefined
  let webhook: Webhook | undefined
  let lastRun: Promise<void> | undefined
  const expired = Promise.withResolvers<never>()

  function limit(problem: string): void {
    timer = setTimeout(async () => {
      // Why run failed may be why its transaction cannot be rolled back.
      const [ran] = await Promise.allSettled([lastRun])
      expired.reject(failure(`${problem} within ${limitMs} ms.`, ran))
    }, limitMs)
  }

  async function claimAndHandle(tx: unknown, claim: Claim): Promise<void> {
    try {
      if (!(await isNew(claim, [key, entryKey], limitMs))) return skip()
      if (fact !== key) await isNew(claim, [fact, entryKey], limitMs)
      if (phase === 'over') throw failure(SETTLED_EARLY)
      signal.throwIfAborted()
      webhook = open(tx)
      await handle(webhook)
    } finally {
      if (phase === 'running') {
        phase = 'ending'
        limit('did not settle after run: its transaction was neither committed nor rolled back')
      }
    }
  }

  async function begin(tx: unknown, claim: Claim): Promise<void> {
    if (phase === 'running') throw failure('called run again before it had settled.')
    if (phase === 'over') throw failure('called run after the attempt had ended.')
    clearTimeout(timer)
    phase = 'running'
    lastRun = claimAndHandle(tx, claim)
    await lastRun
  }

  function run(tx: unknown, claim: Claim): Promise<never> {
    const running = begin(tx, claim)
    // The attempt reports it, also if the option does not wait for it.
    running.catch(() => {})
    return running as Promise<never>
  }

  limit(NOT_CALLED)
  const settled = (async () => transaction(run))()
  const [result] = await Promise.allSettled([Promise.race([settled, expired.promise])])
  clearTimeout(timer)
  const isEarly = phase === 'running'
  phase = 'over'
  if (isEarly) {
    const error = failure(SETTLED_EARLY, result)
    if (webhook !== undefined) abortContext(webhook.context, error)
    // No other attempt may begin while the handlers run.
    await lastRun?.catch(() => {})
    throw error
  }
  if (result.status === 'rejected') throw result.reason
  if (lastRun === undefined) throw failure('resolved without calling run. Does it return its promise?')
  const [ran] = await Promise.allSettled([lastRun])
  if (ran.status === 'rejected') throw failure(SWALLOWED, ran)
}

const NOT_CALLED =
  'did not call run, perhaps since the pool has too few connections for the "concurrency" of the inbox: no transaction began'
const SETTLED_EARLY = 'settled before run did. It must wait for the promise of run.'
const SWALLOWED = 'resolved although run rejected. Let it reject, so that the transaction is rolled back.'

async function isNew(claim: Claim, keys: Parameters<Claim>, limitMs: number): Promise<boolean> {
  if (typeof claim !== 'function')
    throw new TypeError('run(tx, claim) needs a function that inserts the key: "claim" is missing')
  const late = () => failure(`called run with a claim that did not settle within ${limitMs} ms.`)
  const claimed: unknown = await withTimeLimit((async () => claim(...keys))(), limitMs, late)
  if (typeof claimed === 'boolean') return claimed
  throw new TypeError(
    `"claim" must resolve to a boolean, whether the key was new, but resolved to ${claimed === null ? null : typeof claimed}`,
  )
}

function failure(problem: string, result?: PromiseSettledResult<unknown>): Error {
  const options = result?.status === 'rejected' ? { cause: result.reason } : {}
  return new Error(`The "transaction" option ${problem}`, options)
}

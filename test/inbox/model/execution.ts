import { vi } from 'vitest'
import { RetryAfterError } from '../../../src/errors.ts'
import type { LeaseStore } from '../../../src/inbox/lease-store.ts'
import { createWorker } from '../../../src/inbox/worker.ts'
import { createStore, type Entry, type Mistake, type Store } from './shared-entries.ts'

/** What an exploration may do. */
export interface Scenario {
  readonly entries: readonly Pick<Entry, 'id' | 'key' | 'crashes'>[]
  readonly concurrency: number
  readonly crashes: number
  readonly failures: number
  /** How often a handler may say "not yet". */
  readonly deferrals: number
  readonly replays: number
  readonly maxAttempts: number
  readonly mistake?: Mistake
}

export const entry = (id: string, key: string, crashes = 0) => ({ id, key, crashes })

export const SCENARIO: Scenario = {
  entries: [entry('1', 'a'), entry('2', 'a'), entry('3', 'b')],
  concurrency: 2,
  crashes: 1,
  failures: 0,
  deferrals: 0,
  replays: 0,
  maxAttempts: 3,
}

/** A worker in its process. */
interface Process {
  readonly name: string
  /** Calls of the store that were not executed yet. */
  readonly calls: { readonly name: keyof LeaseStore; readonly args: readonly unknown[]; run(): void }[]
  readonly handlers: Map<string, { ok(): void; fail(): void; defer(): void }>
  /** How often the time advanced since the worker last looked what there is to do, and for a suspect. */
  lookedAgo: number
  suspectAgo: number
}

/** One execution of real workers. Nothing happens unless an action is performed. */
export interface Execution {
  /** The actions that are possible now. */
  actions(): string[]
  perform(action: string): Promise<void>
  /** Everything that decides what may happen next. */
  state(): string
  /** What must never be, if it is. */
  violation(): string | undefined
  isFinished(): boolean
}

const TICK_MS = 250

export async function startExecution(scenario: Scenario): Promise<Execution> {
  vi.clearAllTimers()
  const store = createStore(scenario.entries, scenario.mistake)
  const processes: Process[] = []
  let started = 0
  let { crashes, failures, deferrals, replays } = scenario

  async function startProcess(): Promise<void> {
    const process: Process = {
      name: `w${++started}`,
      calls: [],
      handlers: new Map(),
      lookedAgo: 1,
      suspectAgo: 3,
    }
    processes.push(process)
    const worker = createWorker(toLeaseStore(process, store), {
      concurrency: scenario.concurrency,
      maxAttempts: scenario.maxAttempts,
      retryDelayMs: 0,
      maxRetryDelayMs: 0,
      stopTimeoutMs: 1,
      now: () => 0,
      tidy: async () => {},
    })
    // As if it had already handled others for a second. How long it has run is no part of a state.
    const { now } = performance
    performance.now = () => {
      performance.now = now
      return -Infinity
    }
    await worker.start({
      handle: ({ id }) =>
        new Promise((resolve, reject) => {
          const end = (settle: (value?: unknown) => void) => () => {
            process.handlers.delete(id)
            settle()
          }
          process.handlers.set(id, {
            ok: end(resolve),
            fail: end(() => reject(new Error('failed'))),
            defer: end(() => reject(new RetryAfterError('not yet', { afterMs: 1 }))),
          })
        }),
      dead: async () => {},
      failed: (error) => {
        throw error
      },
    })
    await quiet()
  }

  for (const _ of ['first', 'second']) await startProcess()

  async function perform(action: string): Promise<void> {
    const [verb, name, argument = ''] = action.split(' ')
    const process = processes.find((one) => one.name === name)
    if (verb === 'time') {
      for (const one of processes) {
        one.lookedAgo = Math.min(one.lookedAgo + 1, 1)
        one.suspectAgo = Math.min(one.suspectAgo + 1, 3)
      }
      vi.advanceTimersByTime(TICK_MS)
    } else if (verb === 'replay') {
      replays -= 1
      store.replay(name ?? '')
    } else if (verb === 'due') {
      store.becomeDue(name ?? '')
    } else if (process === undefined) throw new Error(`no such process: ${action}`)
    else if (verb === 'call') process.calls.splice(Number(argument), 1)[0]?.run()
    else if (verb === 'ok') process.handlers.get(argument)?.ok()
    else if (verb === 'fail') {
      failures -= 1
      process.handlers.get(argument)?.fail()
    } else if (verb === 'defer') {
      deferrals -= 1
      process.handlers.get(argument)?.defer()
    } else if (verb === 'crash') {
      crashes -= 1
      processes.splice(processes.indexOf(process), 1)
      store.crash(process.name)
      await startProcess()
    }
    await quiet()
  }

  return {
    perform,
    actions() {
      const possible = processes.flatMap(({ name, calls, handlers }) => [
        ...calls.map((_, index) => `call ${name} ${index}`),
        ...[...handlers.keys()].flatMap((id) => [
          `ok ${name} ${id}`,
          ...(failures > 0 ? [`fail ${name} ${id}`] : []),
          ...(deferrals > 0 ? [`defer ${name} ${id}`] : []),
        ]),
        ...(crashes > 0 ? [`crash ${name}`] : []),
      ])
      for (const { id, key, state } of store.entries) {
        // Its time comes last, so that nobody of its key can wait for it.
        const isLast = store.entries.every(
          (one) => one.key !== key || one.state === 'deferred' || isOver(one),
        )
        if (state === 'deferred' && isLast) possible.push(`due ${id}`)
        if (state === 'dead' && replays > 0) possible.push(`replay ${id}`)
      }
      if (vi.getTimerCount() > 0) possible.push('time')
      return possible
    },
    state() {
      const canonical = processes.map(({ name, calls, handlers, lookedAgo, suspectAgo }) =>
        JSON.stringify([
          calls.map((call) => [call.name, call.args]),
          [...handlers.keys()].sort(),
          [lookedAgo, suspectAgo],
          store.entries.filter(({ worker }) => worker === name).map(({ id }) => id),
        ]),
      )
      const entries = store.entries.map(({ worker, ...entry }) => [
        ...Object.values(entry),
        worker !== undefined && !processes.some(({ name }) => name === worker),
      ])
      return JSON.stringify([
        canonical.sort(),
        entries,
        store.hidden(),
        crashes,
        failures,
        deferrals,
        replays,
      ])
    },
    violation() {
      const running = processes.flatMap(({ handlers }) => [...handlers.keys()])
      if (new Set(running).size < running.length) return `handled twice at once: ${running}`
      const keys = running.map((id) => store.entries.find((entry) => entry.id === id)?.key)
      if (new Set(keys).size < keys.length) return `two of a key at once: ${running}`
      const tooOften = store.entries.find(({ attempts }) => attempts > scenario.maxAttempts)
      return tooOften && `too many attempts of ${tooOften.id}`
    },
    isFinished: () => store.entries.every(isOver),
  }
}

const isOver = ({ state }: Entry) => state === 'completed' || state === 'dead'

/** A lease store whose calls wait to be performed, unless they change nothing. */
function toLeaseStore(process: Process, store: Store): LeaseStore {
  const call =
    (name: keyof LeaseStore) =>
    (...args: unknown[]): Promise<never> =>
      new Promise((resolve) => {
        const run = () => {
          if (name === 'look') process.lookedAgo = 0
          if (name === 'leaseSuspect') process.suspectAgo = 0
          resolve(store.call(process.name, name, args) as never)
        }
        if (store.wouldChange(process.name, name, args)) process.calls.push({ name, args, run })
        else run()
      })
  return {
    open: call('open'),
    settleAndLease: call('settleAndLease'),
    look: call('look'),
    leaseSuspect: call('leaseSuspect'),
    recover: call('recover'),
    nextDueAt: call('nextDueAt'),
    close: call('close'),
  }
}

/** Resolves once all promises have settled that need no action. */
async function quiet(): Promise<void> {
  await new Promise(setImmediate)
  await new Promise(setImmediate)
}

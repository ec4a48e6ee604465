import { vi } from 'vitest'
import { type Scenario, startExecution } from './execution.ts'

/** What an exploration found. */
export interface Exploration {
  readonly states: number
  readonly executions: number
  /** The first thing that must never be, with the actions that lead to it. */
  readonly violation?: string
}

/**
 * Performs every sequence of actions, on real workers. As they cannot be copied, each sequence starts anew. One
 * that reaches a known state ends there.
 */
export async function explore(scenario: Scenario): Promise<Exploration> {
  // The workers' time is an action.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const { stackTraceLimit } = Error
  // Thousands of handlers fail. Their stacks would cost more than anything else, and differ from call to call.
  Error.stackTraceLimit = 0
  try {
    return await exploreAll(scenario)
  } finally {
    Error.stackTraceLimit = stackTraceLimit
    vi.useRealTimers()
  }
}

async function exploreAll(scenario: Scenario): Promise<Exploration> {
  /** For each state, how to reach it, and the states that follow. */
  const known = new Map<string, { readonly path: readonly string[]; readonly next: Set<string> }>()
  const finished: string[] = []
  /** Sequences to perform, each up to its last action, which is new. */
  const open: string[][] = [[]]
  let executions = 0

  while (open.length > 0) {
    const path = open.shift() as string[]
    executions += 1
    const execution = await startExecution(scenario)
    for (const action of path.slice(0, -1)) await execution.perform(action)
    let from = path.length === 0 ? undefined : execution.state()
    let actions = path.slice(-1)
    for (let taken = path.slice(0, -1); ; ) {
      const [action] = actions
      if (action !== undefined) {
        await execution.perform(action)
        taken = [...taken, action]
      }
      const violation = execution.violation()
      if (violation !== undefined) return found(violation, taken)
      const state = execution.state()
      if (from !== undefined) known.get(from)?.next.add(state)
      if (known.has(state)) break
      known.set(state, { path: taken, next: new Set() })
      if (execution.isFinished()) {
        finished.push(state)
        break
      }
      from = state
      actions = execution.actions()
      for (const other of actions.slice(1)) open.push([...taken, other])
    }
  }

  const live = canReach(finished, known)
  const stuck = [...known].find(([state]) => !live.has(state))
  if (stuck !== undefined) return found('never finishes', stuck[1].path)
  return { states: known.size, executions }

  function found(what: string, path: readonly string[]): Exploration {
    return { states: known.size, executions, violation: `${what} after: ${path.join(', ')}` }
  }
}

/** The states from which one of the ends can be reached. */
function canReach(
  ends: readonly string[],
  known: ReadonlyMap<string, { readonly next: ReadonlySet<string> }>,
): Set<string> {
  const before = new Map<string, string[]>()
  for (const [state, { next }] of known) {
    for (const one of next) before.set(one, [...(before.get(one) ?? []), state])
  }
  const reached = new Set(ends)
  for (const state of reached) for (const one of before.get(state) ?? []) reached.add(one)
  return reached
}

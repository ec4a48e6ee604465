import { batch, computed, signal } from '@preact/signals'
import type { EntrySummary, InboxAnswers } from '../../inbox-answers.ts'
import { call } from '../parts/call.ts'

export type State = EntrySummary['state']

export const counts = signal<InboxAnswers['counts']['counts'] | undefined>(undefined)
export const reachable = signal(false)
export const state = signal<State>('dead')
export const kind = signal('')
export const search = signal('')
export const entries = signal<readonly EntrySummary[]>([])
/** Entries marked for replay. */
export const marked = signal<ReadonlySet<string>>(new Set())
export const indices = computed(() => new Map(entries.value.map(({ id }, index) => [id, index])))
/** Kinds of the entries loaded so far. */
export const kinds = signal<readonly string[]>([])
export const loading = signal(false)

const REFRESH_MS = 2_000
/** How many entries are loaded before the user scrolls. */
const ENOUGH = 100

let next: string | null | undefined
let generation = 0

export async function callInbox<Name extends keyof InboxAnswers>(
  method: 'GET' | 'POST',
  name: Name,
  query: readonly (readonly [string, string])[] = [],
): Promise<InboxAnswers[Name]> {
  const parameters = new URLSearchParams([['call', name], ...query.map(([key, value]) => [key, value])])
  return await call(`?${parameters}`, { method, headers: { 'x-payhook-console': '1' } })
}

/** Polls the counts, and reloads the list when they change. */
export async function watchCounts(): Promise<void> {
  const before = JSON.stringify(counts.value)
  try {
    const answer = await callInbox('GET', 'counts')
    reachable.value = true
    counts.value = answer.counts
    if (before !== JSON.stringify(answer.counts)) await reload()
  } catch {
    reachable.value = false
  }
  setTimeout(() => void watchCounts(), document.hidden ? 5 * REFRESH_MS : REFRESH_MS)
}

/** Shows another state, kind or search. */
export async function show(change: { state?: State; kind?: string; search?: string }): Promise<void> {
  batch(() => {
    if (change.state !== undefined) state.value = change.state
    if (change.kind !== undefined) kind.value = change.kind
    if (change.search !== undefined) search.value = change.search
    entries.value = []
    marked.value = new Set()
  })
  await reload()
}

/** Reloads the entries shown. */
export async function reload(): Promise<void> {
  const wanted = Math.max(ENOUGH, entries.value.length)
  const own = ++generation
  const found: EntrySummary[] = []
  let after: string | null = ''
  loading.value = true
  try {
    while (after !== null && found.length < wanted) {
      const page: InboxAnswers['list'] = await readPage(after)
      if (own !== generation) return
      found.push(...page.entries)
      after = page.after
    }
  } finally {
    if (own === generation) loading.value = false
  }
  next = after
  batch(() => {
    entries.value = found
    const ids = new Set(found.map(({ id }) => id))
    marked.value = new Set([...marked.value].filter((id) => ids.has(id)))
  })
  noteKinds(found)
}

/** Loads the next page, if there is one. */
export async function loadMore(): Promise<void> {
  if (!next || loading.value) return
  const own = generation
  loading.value = true
  try {
    const page = await readPage(next)
    if (own !== generation) return
    next = page.after
    entries.value = [...entries.value, ...page.entries]
    noteKinds(page.entries)
  } finally {
    if (own === generation) loading.value = false
  }
}

export function toggleMark(id: string): void {
  const changed = new Set(marked.value)
  if (!changed.delete(id)) changed.add(id)
  marked.value = changed
}

async function readPage(after: string): Promise<InboxAnswers['list']> {
  const query: [string, string][] = [
    ['state', state.value],
    ['kind', kind.value],
    ['search', search.value],
  ]
  if (after !== '') query.push(['after', after])
  return await callInbox('GET', 'list', query)
}

function noteKinds(found: readonly EntrySummary[]): void {
  const all = new Set([...kinds.value, ...found.flatMap((entry) => entry.kind ?? [])])
  if (all.size > kinds.value.length) kinds.value = [...all].sort()
}

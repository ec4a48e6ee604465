import { batch, computed, effect, signal } from '@preact/signals'
import type { InboxResponses } from '../../inbox-calls.ts'
import { call } from '../parts/call.ts'
import type { StateLook } from '../parts/icons.tsx'
import type { Listing } from '../parts/list-detail.tsx'
import { showErrors } from '../parts/notice.tsx'
import { go } from '../parts/route.ts'

type Entry = InboxResponses['list']['entries'][number]
export type State = Entry['state']
export type Health = InboxResponses['health']

export const LOOKS: Readonly<Record<State, StateLook>> = {
  dead: { label: 'Dead', tone: 'bad', icon: 'cross' },
  waiting: { label: 'Waiting', tone: 'warn', icon: 'clock' },
  active: { label: 'Active', tone: 'accent', icon: 'play' },
  completed: { label: 'Completed', tone: 'ok', icon: 'check' },
}

export const counts = signal<InboxResponses['counts']['counts'] | undefined>(undefined)
export const health = signal<Health | undefined>(undefined)
export const reachable = signal(false)
export const state = signal<State | 'all'>('dead')
export const kind = signal('')
export const search = signal('')
const entries = signal<readonly Entry[]>([])
const byId = computed(() => new Map(entries.value.map((entry) => [entry.id, entry])))
export const listing: Listing = { view: 'entries', ids: computed(() => [...byId.value.keys()]) }
/** Entries marked for replay. */
export const marked = signal<ReadonlySet<string>>(new Set())
/** Kinds of the entries loaded so far, without those that the list shortens. */
export const kinds = signal<readonly string[]>([])
export const loading = signal(false)

const REFRESH_MS = 2_000
/** How many entries are loaded before the user scrolls. */
const ENOUGH = 100

/** Where the next page starts; `null` if there is none. */
let next: string | null = null
/** A response that is not to the latest request is dropped. */
let generation = 0

export async function callInbox<Name extends keyof InboxResponses>(
  method: 'GET' | 'POST',
  name: Name,
  query: readonly (readonly [string, string])[] = [],
): Promise<InboxResponses[Name]> {
  const parameters = new URLSearchParams([['call', name], ...query.map(([key, value]) => [key, value])])
  return await call(`?${parameters}`, { method, headers: { 'x-payhook-console': '1' } })
}

/** Loads the list when another state, kind or search is chosen, and when the counts change. */
export function watch(): void {
  // What happened to payment 48121? Its notifications are in any state.
  effect(() => {
    if (/^(?:\w+:)?\d+$/.test(search.value.trim())) state.value = 'all'
  })
  effect(() => {
    for (const choice of [state, kind, search]) void choice.value
    batch(() => {
      entries.value = []
      marked.value = new Set()
    })
    void showErrors(reload)
  })
  void watchCounts()
}

async function watchCounts(): Promise<void> {
  try {
    const before = JSON.stringify(counts.value)
    health.value = await callInbox('GET', 'health')
    counts.value = (await callInbox('GET', 'counts')).counts
    reachable.value = true
    if (before !== JSON.stringify(counts.value)) await reload()
  } catch {
    reachable.value = false
  }
  setTimeout(() => void watchCounts(), document.hidden ? 5 * REFRESH_MS : REFRESH_MS)
}

export async function reload(): Promise<void> {
  const wanted = Math.max(ENOUGH, entries.peek().length)
  const found: Entry[] = []
  await load('', found, () => found.length < wanted)
}

export async function loadMore(): Promise<void> {
  if (next !== null && !loading.value) await load(next, [...entries.value], () => false)
}

async function load(start: string, found: Entry[], wantsMore: () => boolean): Promise<void> {
  const own = ++generation
  let after: string | null = start
  loading.value = true
  try {
    do {
      const page: InboxResponses['list'] = await callInbox('GET', 'list', [
        ['state', state.peek()],
        ['kind', kind.peek()],
        ['search', search.peek()],
        ['after', after],
      ])
      if (own !== generation) return
      found.push(...page.entries)
      after = page.after
    } while (after !== null && wantsMore())
  } finally {
    if (own === generation) loading.value = false
  }
  next = after
  batch(() => {
    entries.value = found
    marked.value = new Set([...marked.value].filter((id) => byId.value.has(id)))
    const more = found.flatMap((entry) => (entry.kind && !entry.kind.endsWith('…') ? entry.kind : []))
    kinds.value = [...new Set([...kinds.value, ...more])].sort()
  })
}

/** Lists everything about a subject. */
export function showAbout(subject: string): void {
  batch(() => {
    state.value = 'all'
    kind.value = ''
    search.value = subject
  })
  go('entries')
}

export function entryOf(id: string): Entry | undefined {
  return byId.value.get(id)
}

export function toggleMark(id: string): void {
  const changed = new Set(marked.value)
  if (!changed.delete(id)) changed.add(id)
  marked.value = changed
}

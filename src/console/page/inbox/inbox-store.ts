import { computed, effect, signal } from '@preact/signals'
import type { InboxResponses } from '../../inbox-calls.ts'
import { call } from '../parts/call.ts'
import { counted } from '../parts/format.ts'
import type { StateLook } from '../parts/icons.tsx'
import { createListing } from '../parts/listing.ts'
import { notify } from '../parts/notice.tsx'

export type State = keyof InboxResponses['counts']['counts']
export type Health = InboxResponses['health']

export const LOOKS: Readonly<Record<State, StateLook>> = {
  dead: { label: 'Dead', tone: 'bad', icon: 'cross' },
  waiting: { label: 'Waiting', tone: 'warn', icon: 'clock' },
  active: { label: 'Active', tone: 'accent', icon: 'play' },
  completed: { label: 'Completed', tone: 'ok', icon: 'check' },
}

/** In place of the kind, if the body cannot be read. */
export const UNREADABLE = 'Unreadable body'

export const counts = signal<InboxResponses['counts']['counts'] | undefined>(undefined)
export const health = signal<Health | undefined>(undefined)
export const trouble = signal('Connecting …')
export const listing = createListing('entries', 'dead', async ({ state, ...query }) => {
  const { entries, after } = await callInbox('GET', 'list', { ...query, state: state || 'all' })
  return { items: entries, after }
})
/** Kinds that can be selected: the list shortens long ones. */
export const kinds = computed(() => listing.kinds.value.filter((kind) => !kind.endsWith('…')))
export const chosen = signal<ReadonlySet<string>>(new Set())
/** Entries marked for replay. */
export const marked = computed(() => listing.ids.value.filter((id) => chosen.value.has(id)))

export function toggleMark(id: string): void {
  const changed = new Set(marked.value)
  if (!changed.delete(id)) changed.add(id)
  chosen.value = changed
}

export async function callInbox<Name extends keyof InboxResponses>(
  method: 'GET' | 'POST',
  name: Name,
  query: Record<string, string> | [name: string, value: string][] = {},
): Promise<InboxResponses[Name]> {
  const parameters = new URLSearchParams(query)
  parameters.set('call', name)
  // A server that hangs must not look alive.
  const signal = name === 'health' ? AbortSignal.timeout(HEALTH_MS) : null
  return await call(`?${parameters}`, { method, headers: { 'x-payhook-console': '1' }, signal })
}

const REFRESH_MS = 2_000
/** The server itself takes up to two seconds. */
const HEALTH_MS = 5_000

/** Keeps the list and the counts up to date. */
export function watch(): void {
  // What happened to payment 48121? Its notifications are in any state.
  effect(() => {
    if (/^(?:\w+:)?\d+$/.test(listing.filter.search.value.trim())) listing.filter.state.value = ''
  })
  listing.watch()
  void watchCounts()
}

/** The counts that the list was last loaded for. */
let listed = ''

async function watchCounts(): Promise<void> {
  try {
    await loadCounts()
    trouble.value = ''
    const now = JSON.stringify(counts.value)
    // A load that takes longer than REFRESH_MS would never end otherwise.
    if ((now !== listed || listing.failure.value) && !listing.loading.peek()) {
      listed = now
      // The list itself shows why it cannot be read.
      listing.reload().catch(() => {})
    }
  } catch (error) {
    trouble.value = (error as Error).message
  }
  setTimeout(() => void watchCounts(), document.hidden ? 5 * REFRESH_MS : REFRESH_MS)
}

async function loadCounts(): Promise<void> {
  health.value = await callInbox('GET', 'health')
  counts.value = (await callInbox('GET', 'counts')).counts
}

/** Shows what was done. If that fails, the page says so itself: the work is not to be done again. */
export async function refresh(): Promise<void> {
  await Promise.allSettled([loadCounts(), listing.reload()])
}

/** Says what became of some notifications, and shows it. */
export async function finish(count: number, what: string): Promise<void> {
  notify(`${counted(count, 'notification')} ${what}`)
  await refresh()
}

export async function resume(): Promise<void> {
  await callInbox('POST', 'resume')
  await refresh()
}

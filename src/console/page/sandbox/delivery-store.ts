import { batch, computed, effect, signal } from '@preact/signals'
import type { DeliverySummaryJson, FaultsJson } from '../../../sandbox/control/control-json.ts'
import { set } from '../parts/fields.tsx'
import type { Listing } from '../parts/list-detail.tsx'
import { replace, route } from '../parts/route.ts'
import { control } from './control-api.ts'
import { followEvents } from './event-stream.ts'
import { faults, loadConfigurations, loadSetup } from './setup-store.ts'

const MAX_KEPT = 20_000
const PAGE = 1_000

/** Oldest first. The map changes in place, and is then wrapped again. */
const byId = new Map<string, DeliverySummaryJson>()
const deliveries = signal({ byId })

export const loaded = signal(false)
export const kind = signal('')
export const state = signal('')
export const search = signal('')
/** Search results. The sandbox searches, because it has the bodies. */
const found = signal<ReadonlySet<string> | undefined>(undefined)

/** Newest first. */
const ids = computed(() => {
  const wanted = [...deliveries.value.byId].filter(
    ([id, delivery]) =>
      (!kind.value || delivery.kind === kind.value) &&
      (!state.value || delivery.state === state.value) &&
      (!found.value || found.value.has(id)),
  )
  return wanted.map(([id]) => id).reverse()
})
export const listing: Listing = { view: 'deliveries', ids }
export const total = computed(() => deliveries.value.byId.size)
export const kinds = computed(() =>
  [...new Set([...deliveries.value.byId.values()].map((delivery) => delivery.kind))].sort(),
)

export function deliveryOf(id: string): DeliverySummaryJson | undefined {
  return deliveries.value.byId.get(id)
}

let pending: DeliverySummaryJson[] = []
let scheduled = false

/** Adds or updates deliveries, in one batch per frame. */
export function take(changed: readonly DeliverySummaryJson[]): void {
  pending.push(...changed)
  if (scheduled || !loaded.value) return
  scheduled = true
  // A page in the background gets no frames.
  if (document.hidden) setTimeout(flush, 200)
  else requestAnimationFrame(flush)
}

function flush(): void {
  scheduled = false
  for (const delivery of pending) if (!isStale(delivery)) byId.set(delivery.id, delivery)
  pending = []
  for (const id of byId.keys()) {
    if (byId.size <= MAX_KEPT) break
    byId.delete(id)
  }
  deliveries.value = { byId }
  if (search.value) searchSoon()
}

/** A response may come after the events that followed it. */
function isStale({ id, state, attempts }: DeliverySummaryJson): boolean {
  const known = byId.get(id)
  if (!known) return false
  return known.attempts.length > attempts.length || (known.state !== 'pending' && state === 'pending')
}

export async function load(): Promise<void> {
  const all: DeliverySummaryJson[] = []
  let after: string | undefined
  for (;;) {
    const query = { limit: String(PAGE), ...(after === undefined ? {} : { after }) }
    const { deliveries } = await control('GET deliveries', { query })
    all.push(...deliveries)
    after = deliveries.at(-1)?.id
    if (deliveries.length < PAGE || all.length >= MAX_KEPT) break
  }
  batch(() => {
    byId.clear()
    for (const delivery of all.reverse()) byId.set(delivery.id, delivery)
    loaded.value = true
    flush()
  })
}

/** Follows the sandbox. */
export function follow(): void {
  const reload = () => void Promise.all([load(), loadSetup()]).catch(() => {})
  const listeners = {
    reset: reload,
    configuration: () => void loadConfigurations().catch(() => {}),
    faults: (changed: FaultsJson) => set(faults, changed),
    delivery: (delivery: DeliverySummaryJson) => take([delivery]),
  }
  followEvents(listeners, reload)
}

const HIDDEN_REFRESH_MS = 5_000
const PAGE_TITLE = document.title

/** Keeps the number of deliveries in the title, which is all that shows of a page in the background. */
export function countInTitle(): void {
  const show = (count: number) => {
    document.title = count === 0 ? PAGE_TITLE : `(${count.toLocaleString('en')}) ${PAGE_TITLE}`
  }
  effect(() => show(total.value))
  setInterval(() => {
    if (document.hidden)
      void control('GET deliveries', { query: { limit: '1' } }).then(
        ({ total }) => show(total),
        () => {},
      )
  }, HIDDEN_REFRESH_MS)
}

/** Selects each new delivery, until the user selects another one. */
export const following = signal(false)

effect(() => {
  const [newest] = ids.value
  const { view, id } = route.peek()
  if (following.peek() && newest !== undefined && newest !== id && view === listing.view)
    replace(view, newest)
})
effect(() => {
  const { id } = route.value
  if (id !== undefined && id !== ids.peek()[0] && byId.has(id)) following.value = false
})

let timer: ReturnType<typeof setTimeout> | undefined

effect(() => {
  if (search.value) searchSoon()
  else found.value = undefined
})

function searchSoon(): void {
  if (timer !== undefined) return
  timer = setTimeout(async () => {
    timer = undefined
    const text = search.value
    if (!text) return
    const query = { search: text, limit: String(PAGE) }
    const { deliveries } = await control('GET deliveries', { query }).catch(() => ({ deliveries: [] }))
    if (search.value !== text) return searchSoon()
    found.value = new Set(deliveries.map(({ id }) => id))
  }, 150)
}

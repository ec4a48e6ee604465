import { effect, signal } from '@preact/signals'
import type { DeliverySummaryJson, StreamEvents } from '../../../sandbox/control/control-json.ts'
import { createListing } from '../parts/listing.ts'
import { replace, route } from '../parts/route.ts'
import { control } from './control-api.ts'
import { faults, loadConfigurations, loadSetup } from './setup-store.ts'

const PAGE = 100
/** For how long changes are collected before the list is loaded again. */
const COLLECT_MS = 100
const RETRY_MS = 1_000
const COUNT_MS = 5_000
const PAGE_TITLE = document.title

export const live = signal(false)
/** Newest first. The sandbox filters, because it has the bodies. */
export const listing = createListing('deliveries', '', async (wanted) => {
  const given = Object.entries({ ...wanted, limit: String(PAGE) }).filter(([, value]) => value !== '')
  const { deliveries, total } = await control('GET deliveries', { query: Object.fromEntries(given) })
  return { items: deliveries, after: total > PAGE ? (deliveries.at(-1)?.id ?? null) : null, total }
})

/** The latest news of deliveries, which the list has only once it is loaded again. */
const news = signal<ReadonlyMap<string, DeliverySummaryJson>>(new Map())
const MAX_NEWS = 1_000

export function deliveryOf(id: string): DeliverySummaryJson | undefined {
  return news.value.get(id) ?? listing.byId.value.get(id)
}

/** Selects each new delivery, until the user selects another one. */
export const following = signal(false)

effect(() => {
  const [newest] = listing.ids.value
  const { view, id } = route.peek()
  if (following.peek() && newest !== undefined && newest !== id && view === listing.view)
    replace(view, newest)
})
effect(() => {
  const { id = '' } = route.value
  if (id !== listing.ids.peek()[0] && listing.byId.peek().has(id)) following.value = false
})

let pending: DeliverySummaryJson[] = []

/** Takes what has come since the last time. */
function take(): void {
  // What changes while the list is loaded may not be in it.
  if (listing.loading.peek()) return void setTimeout(take, COLLECT_MS)
  const all = [...news.peek(), ...pending.map((delivery) => [delivery.id, delivery] as const)]
  news.value = new Map(all.slice(-MAX_NEWS))
  pending = []
  void listing.reload().catch(() => {})
}

function reload(): void {
  news.value = new Map()
  void Promise.all([listing.reload(), loadSetup(), loadLatest()]).catch(() => {})
}

/** The list has only what its filter finds. */
async function loadLatest(): Promise<void> {
  const { deliveries } = await countInTitle(PAGE)
  news.value = new Map([...deliveries.toReversed().map((one) => [one.id, one] as const), ...news.peek()])
}

/** Shows the number of deliveries where it is seen while the page is in the background. */
async function countInTitle(limit = 1) {
  const found = await control('GET deliveries', { query: { limit: String(limit) } })
  document.title = found.total === 0 ? PAGE_TITLE : `(${found.total.toLocaleString('en')}) ${PAGE_TITLE}`
  return found
}

const LISTENERS: { readonly [Name in keyof StreamEvents]?: (data: StreamEvents[Name]) => void } = {
  reset: reload,
  configuration: () => void loadConfigurations().catch(() => {}),
  faults: (changed) => {
    faults.value = changed
  },
  delivery: (delivery) => {
    if (pending.push(delivery) === 1) setTimeout(take, COLLECT_MS)
  },
}
let stream: EventSource | undefined

/** Not while hidden: a browser opens six connections to a host, and six hidden pages would take them all. */
function connect(): void {
  stream?.close()
  stream = undefined
  if (document.hidden) return
  const own = new EventSource('/_sandbox/stream')
  stream = own
  own.addEventListener('open', () => {
    live.value = true
    // The sandbox may have restarted, and earlier events are missing.
    reload()
  })
  own.addEventListener('error', () => {
    live.value = false
    // Of a response that is not a stream. Browsers reconnect by themselves otherwise.
    if (own.readyState === EventSource.CLOSED) setTimeout(() => own === stream && connect(), RETRY_MS)
  })
  for (const [name, listen] of Object.entries(LISTENERS))
    own.addEventListener(name, ({ data }) => listen(JSON.parse(data)))
}

export function watch(): void {
  listing.watch()
  document.addEventListener('visibilitychange', connect)
  setInterval(() => {
    void countInTitle().catch(() => {})
    if (listing.failure.peek()) void listing.reload().catch(() => {})
  }, COUNT_MS)
  connect()
}

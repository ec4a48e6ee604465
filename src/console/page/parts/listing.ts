import { batch, computed, effect, signal } from '@preact/signals'
import { showErrors } from './notice.tsx'

interface Page<Item> {
  readonly items: readonly Item[]
  /** Where the next page starts; `null` if there is none. */
  readonly after: string | null
  /** How many there are from the start of this page on, if the server counts them. */
  readonly total?: number
}

interface Filter {
  readonly state: string
  readonly kind: string
  readonly search: string
}

export type Listing = ReturnType<typeof createListing>

/** How many items are loaded before the user scrolls. */
const ENOUGH = 100
/** For how long typed letters are collected before the list is loaded. */
const TYPING_MS = 150

/** A list that the server filters, loaded page by page. Without an initial state, it has all of them. */
export function createListing<Item extends { readonly id: string; readonly kind: string | null }>(
  view: string,
  initialState: string,
  readPage: (query: Filter & { readonly after: string }) => Promise<Page<Item>>,
) {
  const filter = { state: signal(initialState), kind: signal(''), search: signal('') }
  const items = signal<readonly Item[]>([])
  const byId = computed(() => new Map(items.value.map((item) => [item.id, item])))
  /** Kinds of the items loaded so far. */
  const kinds = signal<readonly string[]>([])
  const loading = signal(true)
  /** Why the list could not be loaded; empty if it could. */
  const failure = signal('')
  /** How many there would be if all of them were loaded. */
  const total = signal(0)
  let next: string | null = null
  /** How many are loaded: more once the user has scrolled to the end. */
  let enough = ENOUGH
  /** A response that is not to the latest request is dropped. */
  let generation = 0

  async function load(start: string, found: Item[]): Promise<void> {
    const own = ++generation
    const query = { state: filter.state.peek(), kind: filter.kind.peek(), search: filter.search.peek() }
    let after: string | null = start
    loading.value = true
    try {
      do {
        const page: Page<Item> = await readPage({ ...query, after })
        if (own !== generation) return
        if (after === '') total.value = page.total ?? 0
        found.push(...page.items)
        after = page.after
      } while (after !== null && found.length < enough)
    } catch (error) {
      if (own === generation) failure.value = (error as Error).message
      throw error
    } finally {
      if (own === generation) loading.value = false
    }
    next = after
    batch(() => {
      failure.value = ''
      items.value = found
      kinds.value = [...new Set([...kinds.value, ...found.flatMap(({ kind }) => kind || [])])].sort()
    })
  }

  const reload = () => load('', [])
  return {
    view,
    filter,
    byId,
    ids: computed(() => [...byId.value.keys()]),
    kinds,
    loading,
    total,
    failure,
    reload,
    /** Loads the list whenever the filter changes. */
    watch() {
      let timer: ReturnType<typeof setTimeout> | undefined
      effect(() => {
        for (const choice of Object.values(filter)) void choice.value
        generation++
        enough = ENOUGH
        items.value = []
        loading.value = true
        clearTimeout(timer)
        // The first time at once.
        timer = setTimeout(() => void showErrors(reload), timer === undefined ? 0 : TYPING_MS)
      })
    },
    async loadMore() {
      if (next === null || loading.value) return
      enough = items.value.length + 1
      await load(next, [...items.value])
    },
    /** Shows everything, or what contains a text. */
    showAll(search = '') {
      batch(() => {
        for (const choice of Object.values(filter)) choice.value = ''
        filter.search.value = search
      })
    },
  }
}

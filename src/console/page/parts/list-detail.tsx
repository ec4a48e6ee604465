import { useComputed, useSignal } from '@preact/signals'
import type { ComponentChildren, TargetedKeyboardEvent } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { Button } from './fields.tsx'
import { kindLabel, type Listed, shortTime, subjectLine } from './format.ts'
import { Empty } from './frame.tsx'
import { Chip, Icon, type StateLook } from './icons.tsx'
import type { Listing } from './listing.ts'
import { showErrors } from './notice.tsx'
import { go, hashOf, route } from './route.ts'

/** How near the end of a list is when more of it is loaded. */
const NEAR_PX = 1_000

/** The item that was open last, and its index in the list, or the one it had before it left. */
const last = { id: '', index: 0 }

/** Opens an item so many rows below the one that is open or was open last, or above it. */
export function move({ view, ids }: Listing, by: number): void {
  // The next one has taken the place of one that has left.
  const at = by > 0 && !ids.value.includes(last.id) ? last.index - 1 : last.index
  const next = ids.value[Math.max(0, Math.min(ids.value.length - 1, at + by))]
  if (next === undefined) return
  go(view, next)
  document.getElementById(`row-${next}`)?.focus()
}

/** Opens an item, and moves the focus to it. */
function open(view: string, id: string): void {
  go(view, id)
  // Once it is rendered.
  queueMicrotask(() => document.getElementById('detail')?.focus())
}

/** A list beside the detail of the item that is open; on a phone, one of the two. */
export function ListDetail(props: {
  label: string
  listing: Listing
  tools: ComponentChildren
  row: (id: string) => ComponentChildren
  /** Shown while the list is empty, unless that is because of the filter. */
  empty: ComponentChildren
  /** Shown beside the list while none is open. */
  overview: ComponentChildren
  detail: (id: string) => ComponentChildren
}) {
  const { listing } = props
  const { view, ids, filter } = listing
  const { id } = route.value
  useLayoutEffect(() => {
    // Back to the list: to the item that was open.
    if (id === undefined) document.getElementById(`row-${last.id}`)?.focus()
  }, [id])
  last.id = id ?? last.id
  const index = ids.value.indexOf(last.id)
  if (index >= 0 || ids.value.length === 0) last.index = Math.max(0, index)
  const onScroll = ({ currentTarget: list }: { currentTarget: HTMLElement }) => {
    const below = list.scrollHeight - list.scrollTop - list.clientHeight
    if (below < NEAR_PX) void showErrors(listing.loadMore)
  }
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>) => {
    const { clientHeight, scrollHeight } = event.currentTarget
    const page = Math.floor((clientHeight / scrollHeight) * ids.value.length) - 1
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }
    const by = moves[event.key as keyof typeof moves]
    if (by === undefined) return
    event.preventDefault()
    move(listing, by)
  }
  return (
    <main class={id === undefined ? 'split' : 'split open'}>
      <section class="list-pane" aria-label="List">
        <div class="tools">
          {props.tools}
          {listing.failure.value && <p class="note tone-bad">{listing.failure.value}</p>}
        </div>
        {ids.value.length > 0 ? (
          <ul class="list" aria-label={props.label} tabIndex={-1} onScroll={onScroll} onKeyDown={onKeyDown}>
            {ids.value.map((each) => (
              <li key={each} class="item">
                {props.row(each)}
              </li>
            ))}
          </ul>
        ) : listing.loading.value ? (
          <p class="empty">Loading …</p>
        ) : listing.failure.value ? null : filter.kind.value || filter.search.value || !props.empty ? (
          <Empty title="No matches">
            <Button work={() => listing.showAll()} text="Show all" />
          </Empty>
        ) : (
          props.empty
        )}
      </section>
      <section id="detail" class="detail-pane" aria-label="Detail" tabIndex={-1}>
        {id === undefined ? (
          props.overview
        ) : (
          <article key={id} class="detail">
            <Button look="back" work={() => go(view)} text="‹ Back to the list" />
            {props.detail(id)}
          </article>
        )}
      </section>
    </main>
  )
}

/** The content of a row: two lines beside the mark of a state. */
export function Row(props: {
  view: string
  id: string
  look: StateLook
  kind: string
  of: Listed
  at: string
  /** Before the subject and the amount. */
  outcome?: ComponentChildren
  /** After them. */
  children: ComponentChildren
  end?: ComponentChildren
}) {
  const { view, id, look, of } = props
  // Only the rows for which it changes are rendered again.
  const isOpen = useComputed(() => route.value.id === id)
  return (
    <a
      id={`row-${id}`}
      href={hashOf(view, id)}
      aria-current={isOpen.value}
      onClick={(event) => {
        // Otherwise it opens in another tab.
        if (!event.ctrlKey && !event.metaKey) open(view, id)
      }}
    >
      <span class={`mark tone-${look.tone}`} title={look.label}>
        <Icon name={look.icon} />
        <span class="hidden">{look.label}</span>
      </span>
      <span class="first">
        <span>{kindLabel(props.kind)} </span>
        <span class="status"> {of.highlights.status}</span>
      </span>
      <span class="at">{shortTime(props.at)}</span>
      <span class="second">
        {props.outcome} {subjectLine(of)} {props.children}
      </span>
      <span class="at">{props.end}</span>
    </a>
  )
}

/** The head of a detail: the kind as it is sent, then the state, what it is about, and more. */
export function Title(props: { kind: string; look: StateLook; of: Listed; children: ComponentChildren }) {
  const label = kindLabel(props.kind)
  return (
    <div class="title">
      <h1>{props.kind}</h1>
      <div class="meta">
        <Chip {...props.look} />
        {label !== props.kind && <span>{label}</span>}
        <strong>{subjectLine(props.of)}</strong>
        {props.children}
      </div>
    </div>
  )
}

/** Loads a value again when an input changes. `undefined` until there is a first one. */
export function useLoaded<Value extends object>(
  load: () => Promise<Value>,
  inputs: readonly unknown[],
): Value | Error | undefined {
  const loaded = useSignal<Value | Error | undefined>(undefined)
  const turn = useRef(Promise.resolve())
  useEffect(() => {
    let isLatest = true
    // One after the other, as those of a slow server would all be replaced before they end.
    turn.current = turn.current.then(async () => {
      if (isLatest) loaded.value = await load().catch((error: Error) => error)
    })
    return () => {
      isLatest = false
    }
  }, inputs)
  return loaded.value
}

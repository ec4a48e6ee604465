import { type ReadonlySignal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { Button } from './fields.tsx'
import { kindLabel, type Listed, shortTime, subjectLine } from './format.ts'
import { Chip, Icon, type StateLook } from './icons.tsx'
import { go, route } from './route.ts'
import { WindowedList } from './windowed-list.tsx'

/** The ids of a list, in order, and the view that shows it. */
export interface Listing {
  readonly view: string
  readonly ids: ReadonlySignal<readonly string[]>
}

export function move({ view, ids }: Listing, by: 1 | -1): void {
  const at = ids.value.indexOf(route.value.id ?? '')
  const next = ids.value[Math.max(0, Math.min(ids.value.length - 1, at + by))]
  if (next !== undefined) go(view, next)
}

/** A list beside the detail of the one that is open; on a phone, one of the two. */
export function ListDetail(props: {
  label: string
  listing: Listing
  tools: ComponentChildren
  row: (id: string) => ComponentChildren
  empty: ComponentChildren
  /** Shown beside the list while none is open. */
  overview: ComponentChildren
  detail: (id: string) => ComponentChildren
  onEnd?: () => void
}) {
  const { view, ids } = props.listing
  const { id } = route.value
  const isOpen = id !== undefined
  return (
    <main class={isOpen ? 'split open' : 'split'}>
      <section class="list-pane" aria-label="List">
        <div class="tools">{props.tools}</div>
        {ids.value.length === 0 ? (
          props.empty
        ) : (
          <WindowedList
            label={props.label}
            ids={ids.value}
            selected={id}
            onSelect={(wanted) => go(view, wanted)}
            onOpen={() => setTimeout(() => document.getElementById('detail-title')?.focus())}
            row={props.row}
            onEnd={props.onEnd}
          />
        )}
      </section>
      <section class="detail-pane" aria-label="Detail">
        {isOpen ? (
          <article key={id} class="detail">
            <Button look="back" work={() => go(view)}>
              <Icon name="back" /> Back to the list
            </Button>
            {props.detail(id)}
          </article>
        ) : (
          props.overview
        )}
      </section>
    </main>
  )
}

/** The content of a row: two lines beside the mark of a state. */
export function Row(props: {
  look: StateLook
  kind: string
  of: Listed
  at: string
  /** Instead of the icon of the look. */
  mark?: ComponentChildren
  /** Before the subject and the amount. */
  outcome?: ComponentChildren
  /** After them. */
  children: ComponentChildren
  end?: ComponentChildren
}) {
  const { label, tone, icon } = props.look
  return (
    <>
      {props.mark ?? (
        <span class={`mark tone-${tone}`} title={label}>
          <Icon name={icon} />
          <span class="hidden">{label}</span>
        </span>
      )}
      <span class="first parts">
        <span>{kindLabel(props.kind)} </span>
        <span class="status"> {props.of.highlights.status}</span>
      </span>
      <span class="at">{shortTime(props.at)}</span>
      <span class="second">
        {props.outcome} {subjectLine(props.of)} {props.children}
      </span>
      <span class="at">{props.end}</span>
    </>
  )
}

/** The head of a detail: the kind as it is sent, the state and the kind as a person reads it, and more. */
export function Title(props: { kind: string; look: StateLook; children: ComponentChildren }) {
  const label = kindLabel(props.kind)
  return (
    <div class="title">
      <h1 id="detail-title" tabIndex={-1}>
        {props.kind}
      </h1>
      <div class="meta">
        <Chip {...props.look} />
        {label !== props.kind && <span>{label}</span>}
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
  useEffect(() => {
    let isCurrent = true
    const keep = (value: Value | Error) => {
      if (isCurrent) loaded.value = value
    }
    load().then(keep, keep)
    return () => {
      isCurrent = false
    }
  }, inputs)
  return loaded.value
}

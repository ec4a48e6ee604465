import type { ComponentChildren } from 'preact'
import { KeysDialog, showKeys } from './keys.tsx'
import { Notices } from './notice.tsx'
import { route } from './route.ts'

/** A page: the bar at the top, and below it the view. */
export function Frame(props: {
  title: string
  views?: readonly (readonly [view: string, label: string])[]
  status: ComponentChildren
  children: ComponentChildren
}) {
  return (
    <div class="frame">
      <header class="top">
        <div class="brand">
          <svg width="20" height="20" viewBox="0 0 16 16" aria-hidden="true">
            <rect width="16" height="16" rx="4" fill="#4f46e5" />
            <path d="M4 8.5 7 11.5 12.5 5" fill="none" stroke="#fff" stroke-width="2" />
          </svg>
          <h1>{props.title}</h1>
        </div>
        {props.views && (
          <nav aria-label="Views">
            {props.views.map(([view, label]) => (
              <a key={view} href={`#/${view}`} aria-current={route.value.view === view ? 'page' : undefined}>
                {label}
              </a>
            ))}
          </nav>
        )}
        <div class="end">
          {props.status}
          <button type="button" class="small" aria-label="Keyboard shortcuts" onClick={showKeys}>
            ?
          </button>
        </div>
      </header>
      {props.children}
      <KeysDialog />
      <Notices />
    </div>
  )
}

/** List beside detail; on a phone, one of the two. */
export function Split(props: {
  open: boolean
  tools: ComponentChildren
  list: ComponentChildren
  detail: ComponentChildren
}) {
  return (
    <main class={props.open ? 'split open' : 'split'}>
      <section class="list-pane" aria-label="List">
        <div class="tools">{props.tools}</div>
        {props.list}
      </section>
      <section class="detail-pane" aria-label="Detail">
        {props.detail}
      </section>
    </main>
  )
}

/** A titled box. */
export function Card(props: { title: string; aside?: ComponentChildren; children: ComponentChildren }) {
  return (
    <section class="card">
      <header>
        <h2>{props.title}</h2>
        {props.aside}
      </header>
      {props.children}
    </section>
  )
}

/** A group of buttons, one of which is pressed. */
export function Tabs<Value extends string>(props: {
  label: string
  options: readonly (readonly [value: Value, label: ComponentChildren])[]
  value: Value
  onChange: (value: Value) => void
}) {
  return (
    <fieldset class="tabs">
      <legend class="hidden">{props.label}</legend>
      {props.options.map(([value, label]) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === props.value}
          onClick={() => props.onChange(value)}
        >
          {label}
        </button>
      ))}
    </fieldset>
  )
}

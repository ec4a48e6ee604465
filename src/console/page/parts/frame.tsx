import type { ComponentChildren } from 'preact'
import { isDialogOpen, OpenDialog } from './dialog.tsx'
import { Button } from './fields.tsx'
import type { StateLook } from './icons.tsx'
import { showKeys } from './keys.tsx'
import { Notices } from './notice.tsx'
import { route } from './route.ts'

export function Frame(props: {
  title: string
  views?: Readonly<Record<string, string>>
  /** Why what is shown may be old; empty if it is not. */
  trouble: string
  status?: ComponentChildren
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
            {Object.entries(props.views).map(([view, label]) => (
              <a key={view} href={`#/${view}`} aria-current={route.value.view === view ? 'page' : undefined}>
                {label}
              </a>
            ))}
          </nav>
        )}
        <div class="end">
          {props.status}
          <span class={props.trouble ? 'live' : 'live on'} role="status">
            {props.trouble || 'Live'}
          </span>
          <Button look="small" label="Keyboard shortcuts" work={showKeys} text="?" />
        </div>
      </header>
      {props.children}
      <OpenDialog />
      <Notices isCovered={isDialogOpen.value} />
    </div>
  )
}

/** Two columns; on a narrow screen, one below the other. */
export function Columns({ main, side }: { main: ComponentChildren; side: ComponentChildren }) {
  return (
    <main class="page-pane">
      <div class="forms two">
        <div class="column">{main}</div>
        <div class="column">{side}</div>
      </div>
    </main>
  )
}

export function Card(props: {
  title: string
  aside?: ComponentChildren
  /** The content reaches the border. */
  bare?: boolean
  /** Screen readers announce changes. */
  isStatus?: boolean
  children: ComponentChildren
}) {
  return (
    <section class="card">
      <header>
        <h2>{props.title}</h2>
        {props.aside}
      </header>
      {props.bare ? (
        props.children
      ) : (
        <div class="body" role={props.isStatus ? 'status' : undefined}>
          {props.children}
        </div>
      )}
    </section>
  )
}

export function Note(props: { tone: StateLook['tone']; title: string; children: ComponentChildren }) {
  return (
    <div class={`note tone-${props.tone}`}>
      <strong>{props.title}</strong>
      {props.children}
    </div>
  )
}

export function Empty({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      <div>{children}</div>
    </div>
  )
}

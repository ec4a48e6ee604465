import { Dialog, showDialog } from './dialog.tsx'
import { Facts } from './facts.tsx'

export interface Key {
  readonly key: string
  readonly label: string
  readonly run: () => void
  /** Runs again and again while it is held. */
  readonly repeats?: true
}

let keys: readonly Key[] = []

/** Sets the keys of the page. They work wherever no text is typed and no dialog is open. */
export function bindKeys(bound: readonly Key[]): void {
  keys = [...bound, { key: '?', label: 'Show these keys', run: showKeys }]
  addEventListener('keydown', (event) => {
    const target = event.target as HTMLElement
    // A held key neither clicks nor submits again.
    if (event.repeat && event.key === 'Enter' && !target.matches('textarea')) return event.preventDefault()
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return
    if (event.key === 'Escape' && target.matches('input, textarea, select')) {
      // Chromium clears a search otherwise.
      event.preventDefault()
      return target.blur()
    }
    // The focus stays in a dialog that was just closed.
    if (target.matches(':is(textarea, select, input:not([type=checkbox])):not(dialog *)')) return
    const found = keys.find(({ key }) => key === event.key)
    if (!found) return
    event.preventDefault()
    if (!event.repeat || found.repeats) found.run()
  })
}

/** The element that has the focus or had it last, and what it is in. */
let focused: EventTarget[] = []
addEventListener('focusin', (event) => {
  focused = event.composedPath()
})
// Once it has left the page, such as the row of what was replayed, what it was in gets the focus.
new MutationObserver(() => {
  const [first] = focused
  if (!(first instanceof Element) || first.isConnected) return
  for (const each of focused)
    if (each instanceof HTMLElement && document.activeElement === document.body) each.focus()
  focused = []
}).observe(document, { childList: true, subtree: true })

export function showKeys(): void {
  const facts = Object.fromEntries(keys.map(({ key, label }) => [key, label]))
  showDialog(
    <Dialog title="Keyboard shortcuts">
      <Facts facts={{ ...facts, '↑ ↓': 'Move in a list, once it has the focus' }} />
    </Dialog>,
  )
}

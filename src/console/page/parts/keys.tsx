import { Dialog, showDialog } from './dialog.tsx'

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
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return
    const target = event.target as HTMLElement
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

export function showKeys(): void {
  const rows: readonly (readonly [names: readonly string[], label: string])[] = [
    ...keys.map(({ key, label }) => [[key === 'Escape' ? 'Esc' : key], label] as const),
    [['↑', '↓'], 'Move in a list, once it has the focus'],
  ]
  showDialog(
    <Dialog title="Keyboard shortcuts">
      <dl class="keys">
        {rows.map(([names, label]) => [
          <dt key={label}>
            {names.map((name) => (
              <kbd key={name}>{name}</kbd>
            ))}
          </dt>,
          <dd key={`${label}:`}>{label}</dd>,
        ])}
      </dl>
    </Dialog>,
  )
}

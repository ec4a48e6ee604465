import { signal } from '@preact/signals'
import { Dialog } from './dialog.tsx'
import { set } from './fields.tsx'

export interface Key {
  readonly key: string
  readonly label: string
  readonly run: () => void
}

const keys = signal<readonly Key[]>([])
const shown = signal(false)

/** Sets the keys of the page. They work wherever no text is typed and no dialog is open. */
export function bindKeys(bound: readonly Key[]): void {
  keys.value = [...bound, { key: '?', label: 'Show these keys', run: showKeys }]
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return
    const target = event.target as HTMLElement
    if (event.key === 'Escape' && target.matches('input, textarea, select')) return target.blur()
    // The focus stays in a dialog that was just closed.
    if (target.matches(':is(textarea, select, input:not([type=checkbox])):not(dialog *)')) return
    const found = keys.value.find(({ key }) => key === event.key)
    if (!found) return
    event.preventDefault()
    found.run()
  })
}

export function showKeys(): void {
  shown.value = true
}

export function KeysDialog() {
  if (!shown.value) return null
  const close = () => set(shown, false)
  return (
    <Dialog title="Keyboard shortcuts" onClose={close}>
      <dl class="keys">
        {keys.value.map(({ key, label }) => [
          <dt key={key}>
            <kbd>{key === 'Escape' ? 'Esc' : key}</kbd>
          </dt>,
          <dd key={label}>{label}</dd>,
        ])}
        <dt>
          <kbd>↑</kbd>
          <kbd>↓</kbd>
        </dt>
        <dd>Move in a list, once it has the focus</dd>
      </dl>
    </Dialog>
  )
}

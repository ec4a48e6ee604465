import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { Button } from './fields.tsx'

/** A dialog that is open for as long as it is rendered. Escape closes it. */
export function Dialog(props: {
  title: string
  wide?: boolean
  onClose: () => void
  /** Buttons after the one that cancels. Without them, one button closes the dialog. */
  actions?: ComponentChildren
  children: ComponentChildren
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Opened before the next key is handled, so that Escape closes it.
  useLayoutEffect(() => {
    dialog.current?.showModal()
  }, [])
  return (
    <dialog ref={dialog} class={props.wide ? 'wide' : ''} aria-labelledby={id} onClose={props.onClose}>
      <div>
        <h2 id={id}>{props.title}</h2>
        {props.children}
        <div class="actions">
          <Button look={props.actions ? '' : 'main'} work={props.onClose}>
            {props.actions ? 'Cancel' : 'Close'}
          </Button>
          {props.actions}
        </div>
      </div>
    </dialog>
  )
}

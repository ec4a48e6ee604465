import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

/** A dialog that is open for as long as it is rendered. Escape closes it. */
export function Dialog(props: {
  title: string
  wide?: boolean
  onClose: () => void
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
      </div>
    </dialog>
  )
}

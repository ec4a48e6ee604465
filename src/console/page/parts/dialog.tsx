import { computed, signal } from '@preact/signals'
import { type ComponentChildren, cloneElement, type JSX } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button, Form, set, type Values } from './fields.tsx'
import { Notices } from './notice.tsx'

const open = signal<JSX.Element | null>(null)

let shown = 0

export const showDialog = (dialog: JSX.Element) => set(open, cloneElement(dialog, { key: ++shown }))

export const OpenDialog = () => open.value
export const isDialogOpen = computed(() => open.value !== null)

// It is about what the page showed.
addEventListener('hashchange', () => set(open, null))

/** A dialog that closes when its work has succeeded. Escape closes it, too. */
export function Dialog(props: {
  title: string
  wide?: boolean
  /** The name of the work. Without it, a button closes the dialog. */
  action?: string
  work?: (values: Values) => unknown
  /** Runs once it has closed and given the focus back. */
  after?: () => unknown
  onInput?: () => void
  children: ComponentChildren
}) {
  const { title, action, work } = props
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const [own] = useState(() => open.peek())
  // The user may have opened another one.
  const onClose = () => open.peek() === own && set(open, null)
  // The focus returns to where it was.
  const close = () => dialog.current?.close()
  // Opened before the next key is handled, so that Escape closes it.
  useLayoutEffect(() => dialog.current?.showModal(), [])
  const submit = async (values: Values) => {
    await work?.(values)
    close()
    await props.after?.()
  }
  return (
    <dialog ref={dialog} class={props.wide ? 'wide' : ''} aria-labelledby={id} onClose={onClose}>
      <Form work={submit} onInput={props.onInput}>
        <h2 id={id}>{title}</h2>
        {props.children}
        <div class="actions">
          <Button look={action ? '' : 'main'} work={close} text={action ? 'Cancel' : 'Close'} />
          {action && <Button look={action === 'Delete' ? 'danger' : 'main'} text={action} />}
        </div>
      </Form>
      <Notices />
    </dialog>
  )
}

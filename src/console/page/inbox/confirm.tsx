import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { Dialog } from '../parts/dialog.tsx'
import { Button, set } from '../parts/fields.tsx'

/** The dialog that is open. */
export const question = signal<'prune' | 'pause' | 'replay-all' | { readonly deleteId: string } | undefined>(
  undefined,
)

const close = () => set(question, undefined)

/** A dialog that closes before its work starts. */
export function Confirm(props: {
  title: string
  action: string
  work: () => Promise<void>
  disabled?: boolean
  children: ComponentChildren
}) {
  const work = () => {
    close()
    return props.work()
  }
  const action = (
    <Button look={props.action === 'Delete' ? 'danger' : 'main'} disabled={props.disabled} work={work}>
      {props.action}
    </Button>
  )
  return (
    <Dialog title={props.title} onClose={close} actions={action}>
      {props.children}
    </Dialog>
  )
}

import { signal, useSignal } from '@preact/signals'
import { Dialog } from '../parts/dialog.tsx'
import { Button, bind, Field, Select, set } from '../parts/fields.tsx'
import { counted, kindLabel } from '../parts/format.ts'
import { go } from '../parts/route.ts'
import { prune, remove, replayDead } from './actions.ts'
import { counts, kind } from './inbox-store.ts'

/** The open dialog. */
export const question = signal<'prune' | 'replay-dead' | { readonly deleteId: string } | undefined>(undefined)

const close = () => {
  question.value = undefined
}

const AGES = [
  ['30', '30 days'],
  ['7', '7 days'],
  ['1', '1 day'],
  ['0', '0 days: all of them'],
] as const

/** Ask before entries are deleted, or many are replayed. */
export function ConfirmDialogs() {
  const asked = question.value
  if (asked === 'prune') return <PruneDialog />
  if (asked === 'replay-dead') return <ReplayDialog />
  return asked ? <DeleteDialog id={asked.deleteId} /> : null
}

function Confirm(props: { look: string; disabled?: boolean; work: () => Promise<void>; children: string }) {
  const work = () => {
    close()
    return props.work()
  }
  return (
    <Button look={props.look} disabled={props.disabled ?? false} work={work}>
      {props.children}
    </Button>
  )
}

function ReplayDialog() {
  const what = kind.value
    ? `All dead notifications of ${kindLabel(kind.value)}`
    : counted(counts.value?.dead ?? 0, 'dead notification', 'dead notifications')
  const replayAll = (
    <Confirm look="main" work={replayDead}>
      Replay
    </Confirm>
  )
  return (
    <Dialog title="Replay dead notifications?" onClose={close} actions={replayAll}>
      <p>{what} will be handled again, at once. Your handlers run for each of them.</p>
    </Dialog>
  )
}

function DeleteDialog({ id }: { id: string }) {
  const work = async () => {
    // Before its detail is loaded again.
    go('entries')
    await remove(id)
  }
  const deleteOne = (
    <Confirm look="danger" work={work}>
      Delete
    </Confirm>
  )
  return (
    <Dialog title="Delete this notification?" onClose={close} actions={deleteOne}>
      <p>It is deleted with its bytes, and cannot be brought back.</p>
    </Dialog>
  )
}

function PruneDialog() {
  const state = useSignal<'completed' | 'dead'>('completed')
  const days = useSignal('7')
  const sure = useSignal('')
  // A yes is for what was selected then.
  const choice = `${state.value} ${days.value}`
  const isSure = sure.value === choice
  const deleteAll = (
    <Confirm
      look="danger"
      disabled={!isSure}
      work={() => prune(state.value, new Date(Date.now() - Number(days.value) * 86_400_000))}
    >
      Delete
    </Confirm>
  )
  return (
    <Dialog title="Delete notifications" onClose={close} actions={deleteAll}>
      <div class="grid">
        <Field label="Which">
          <Select
            {...bind(state)}
            options={[
              ['completed', 'Completed'],
              ['dead', 'Dead'],
            ]}
          />
        </Field>
        <Field label="Finished for longer than">
          <Select {...bind(days)} options={AGES} />
        </Field>
      </div>
      <p class={`note tone-${state.value === 'dead' ? 'bad' : 'warn'}`}>
        There are{' '}
        {counted(
          counts.value?.[state.value] ?? 0,
          `${state.value} notification`,
          `${state.value} notifications`,
        )}
        . Those that finished {days.value === '0' ? 'until now' : `more than ${days.value} days ago`} are
        deleted with their bytes, and cannot be brought back.
        {state.value === 'dead' && ' A dead notification was never handled.'}
      </p>
      <label class="check">
        <input
          type="checkbox"
          checked={isSure}
          onChange={(event) => set(sure, event.currentTarget.checked ? choice : '')}
        />
        Yes, delete them
      </label>
    </Dialog>
  )
}

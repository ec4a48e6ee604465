import { useSignal } from '@preact/signals'
import { bind, Checkbox, Field, Select, set } from '../parts/fields.tsx'
import { counted } from '../parts/format.ts'
import { go } from '../parts/route.ts'
import { pause, prune, remove } from './actions.ts'
import { Confirm, question } from './confirm.tsx'
import { counts } from './inbox-store.ts'
import { ReplayDialog } from './replay-dialog.tsx'

const AGES = { '30 days': '30 days', '7 days': '7 days', '1 day': '1 day', '0 days': '0 days: all of them' }

export function ConfirmDialogs() {
  const asked = question.value
  if (asked === 'prune') return <PruneDialog />
  if (asked === 'pause') return <PauseDialog />
  if (asked === 'replay-all') return <ReplayDialog />
  return asked ? <DeleteDialog id={asked.deleteId} /> : null
}

function PauseDialog() {
  const reason = useSignal('')
  return (
    <Confirm title="Pause" action="Pause" disabled={!reason.value.trim()} work={() => pause(reason.value)}>
      <p>
        No handler begins anymore, in any process. Those that run end, and notifications are still stored.
      </p>
      <Field label="Reason">
        <input maxLength={200} {...bind(reason)} />
      </Field>
    </Confirm>
  )
}

function DeleteDialog({ id }: { id: string }) {
  const work = async () => {
    // Before its detail is loaded again.
    go('entries')
    await remove(id)
  }
  return (
    <Confirm title="Delete this notification?" action="Delete" work={work}>
      <p>It is deleted with its bytes, and cannot be brought back.</p>
    </Confirm>
  )
}

function PruneDialog() {
  const state = useSignal<'completed' | 'dead'>('completed')
  const age = useSignal('7 days')
  const sure = useSignal('')
  // A yes is for what was selected then.
  const choice = `${state.value} ${age.value}`
  const isSure = sure.value === choice
  const days = Number.parseInt(age.value, 10)
  const count = counts.value?.[state.value] ?? 0
  return (
    <Confirm
      title="Delete notifications"
      action="Delete"
      disabled={!isSure}
      work={() => prune(state.value, new Date(Date.now() - days * 86_400_000))}
    >
      <div class="grid">
        <Field label="Which">
          <Select {...bind(state)} options={{ completed: 'Completed', dead: 'Dead' }} />
        </Field>
        <Field label="Finished for longer than">
          <Select {...bind(age)} options={AGES} />
        </Field>
      </div>
      <p class={`note tone-${state.value === 'dead' ? 'bad' : 'warn'}`}>
        There are {counted(count, `${state.value} notification`)}. Those that finished{' '}
        {days === 0 ? 'until now' : `more than ${age.value} ago`} are deleted with their bytes, and cannot be
        brought back.
        {state.value === 'dead' && ' A dead notification was never handled.'}
      </p>
      <Checkbox checked={isSure} work={(checked) => set(sure, checked ? choice : '')}>
        Yes, delete them
      </Checkbox>
    </Confirm>
  )
}

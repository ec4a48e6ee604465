import { signal, useSignal } from '@preact/signals'
import { Dialog } from '../parts/dialog.tsx'
import { counted, kindLabel } from '../parts/format.ts'
import { run } from '../parts/notice.tsx'
import { prune, replayDead } from './actions.ts'
import { counts, kind } from './inbox-store.ts'

/** The open dialog. */
export const question = signal<'prune' | 'replay-dead' | undefined>(undefined)

const close = () => {
  question.value = undefined
}

const AGES = [
  ['30', '30 days'],
  ['7', '7 days'],
  ['1', '1 day'],
  ['0', '0 days: all of them'],
] as const

/** Ask before many entries are replayed or deleted. */
export function ConfirmDialogs() {
  if (question.value === 'prune') return <PruneDialog />
  if (question.value === 'replay-dead') return <ReplayDialog />
  return null
}

function ReplayDialog() {
  const what = kind.value
    ? `All dead notifications of ${kindLabel(kind.value)}`
    : counted(counts.value?.dead ?? 0, 'dead notification', 'dead notifications')
  return (
    <Dialog title="Replay what is dead?" onClose={close}>
      <p>{what} will be handled again, at once. Your handlers run for each of them.</p>
      <div class="actions">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button
          type="button"
          class="main"
          onClick={run(async () => {
            close()
            await replayDead()
          })}
        >
          Replay
        </button>
      </div>
    </Dialog>
  )
}

function PruneDialog() {
  const state = useSignal<'completed' | 'dead'>('completed')
  const days = useSignal('7')
  const sure = useSignal(false)
  const total = counts.value?.[state.value] ?? 0
  const word = state.value === 'dead' ? 'dead' : 'handled'
  return (
    <Dialog title="Delete notifications" onClose={close}>
      <div class="grid">
        <label class="field">
          <span>Which</span>
          <select
            value={state.value}
            onChange={(event) => {
              state.value = event.currentTarget.value as 'completed' | 'dead'
              sure.value = false
            }}
          >
            <option value="completed">Handled</option>
            <option value="dead">Dead</option>
          </select>
        </label>
        <label class="field">
          <span>Finished for longer than</span>
          <select
            value={days.value}
            onChange={(event) => {
              days.value = event.currentTarget.value
              sure.value = false
            }}
          >
            {AGES.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
      </div>
      <p class={`note tone-${state.value === 'dead' ? 'bad' : 'warn'}`}>
        There are {counted(total, `${word} notification`, `${word} notifications`)}. Those that finished
        {days.value === '0' ? ' until now' : ` more than ${days.value} days ago`} are deleted with their
        bytes, and cannot be brought back.
        {state.value === 'dead' && ' A dead notification was never handled.'}
      </p>
      <label class="check">
        <input
          type="checkbox"
          checked={sure.value}
          onChange={(event) => {
            sure.value = event.currentTarget.checked
          }}
        />
        Yes, delete them
      </label>
      <div class="actions">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button
          type="button"
          class="danger"
          aria-disabled={!sure.value}
          onClick={run(async () => {
            if (!sure.value) return
            close()
            await prune(state.value, new Date(Date.now() - Number(days.value) * 86_400_000))
          })}
        >
          Delete
        </button>
      </div>
    </Dialog>
  )
}

import { type Signal, useSignal } from '@preact/signals'
import { Button, bind, Field, kindOptions, Select, set } from '../parts/fields.tsx'
import { counted } from '../parts/format.ts'
import { countReplay, replayAll } from './actions.ts'
import { Confirm } from './confirm.tsx'
import { kind, kinds } from './inbox-store.ts'

const STATES = { dead: 'Dead', completed: 'Completed', waiting: 'Waiting for a retry' }
const HOUR_MS = 3_600_000
const AGES = {
  '': 'Any time',
  1: 'The last hour',
  6: 'The last 6 hours',
  24: 'The last day',
  168: 'The last week',
}

/** What is replayed, and how fast. */
export function ReplayDialog() {
  const form = {
    state: useSignal<keyof typeof STATES>('dead'),
    kind: useSignal(kind.value),
    subject: useSignal(''),
    hours: useSignal(''),
    error: useSignal(''),
    perSecond: useSignal(''),
  }
  const choice = Object.values(form)
    .map(({ value }) => value)
    .join('\n')
  /** A count is for what was selected then. */
  const answer = useSignal<{ readonly choice: string; readonly count: number } | undefined>(undefined)
  const found = answer.value?.choice === choice ? answer.value.count : undefined
  const count = async () => set(answer, { choice, count: await countReplay(toFilter(form)) })
  return (
    <Confirm title="Replay notifications" action="Replay" work={() => replayAll(toFilter(form))}>
      <div class="grid">
        <Field label="Which">
          <Select {...bind(form.state)} options={STATES} />
        </Field>
        <Field label="Kind of notification">
          <Select {...bind(form.kind)} options={{ '': 'All kinds', ...kindOptions(kinds.value) }} />
        </Field>
        <Field label="Finished in">
          <Select {...bind(form.hours)} options={AGES} />
        </Field>
        <Field label="Subject">
          <input placeholder="payment:48121" {...bind(form.subject)} />
        </Field>
        <Field label="Error contains">
          <input placeholder="ECONNREFUSED" {...bind(form.error)} />
        </Field>
        <Field label="How many a second">
          <input inputMode="decimal" placeholder="All at once" {...bind(form.perSecond)} />
        </Field>
      </div>
      <p>Your handlers run again for each of them, with all attempts.</p>
      <p role="status">
        <Button look="small" work={count}>
          Count
        </Button>{' '}
        {found !== undefined && `${counted(found, 'notification')} would be replayed.`}
      </p>
    </Confirm>
  )
}

function toFilter({ hours, ...fields }: Record<string, Signal<string>>): [string, string][] {
  const since = hours?.value ? new Date(Date.now() - Number(hours.value) * HOUR_MS).toISOString() : ''
  const given = Object.entries(fields).map(([name, { value }]): [string, string] => [name, value.trim()])
  return [...given, ['since', since] as [string, string]].filter(([, value]) => value !== '')
}

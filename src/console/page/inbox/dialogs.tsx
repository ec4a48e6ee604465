import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { Dialog, showDialog } from '../parts/dialog.tsx'
import { Button, bind, InputField, kindOptions, SelectField, set, type Values } from '../parts/fields.tsx'
import { counted } from '../parts/format.ts'
import { go } from '../parts/route.ts'
import { callInbox, chosen, finish, kinds, listing, refresh, type State } from './inbox-store.ts'

const HOUR_MS = 3_600_000
/** Proxies such as nginx reject an address of more than 8 KB. */
const MAX_IDS = 100
/** With a unit, as keys that are integers would come before the first one. */
const HOURS = {
  '': 'Any time',
  '1 h': 'The last hour',
  '6 h': 'The last 6 hours',
  '24 h': 'The last day',
  '168 h': 'The last week',
}

export function PauseDialog() {
  const pause = async ({ reason = '' }: Values) => {
    await callInbox('POST', 'pause', { reason })
    await refresh()
  }
  return (
    <Dialog title="Pause" action="Pause" work={pause}>
      <p>
        No handler begins anymore, in any process. Those that run end, and notifications are still stored.
      </p>
      <InputField label="Reason" name="reason" required maxLength={200} />
    </Dialog>
  )
}

/** Deletes an entry, unless it is in another state than the page shows. */
export function DeleteDialog({ id, state }: { id: string; state: State }) {
  const leave = () => {
    // Before its detail is loaded again.
    go('entries')
    return finish(1, 'deleted')
  }
  return (
    <Dialog
      title="Delete this notification?"
      action="Delete"
      work={() => callInbox('POST', 'delete', { id, state })}
      after={leave}
    >
      <p>It is deleted with its bytes, and cannot be brought back.</p>
    </Dialog>
  )
}

export function ReplayDialog() {
  /** How many it would be, until a field is changed. */
  const found = useSignal<number | undefined>(undefined)
  const asked = useRef(0)
  const forget = () => {
    asked.current++
    set(found, undefined)
  }
  const kind = useSignal(listing.filter.kind.value)
  // What is searched for is what is meant: without it, more would be replayed than the list shows.
  const search = listing.filter.search.peek().trim()
  const subjects = [...listing.byId.peek().values()].map((entry) => entry.subject ?? '')
  const subject = subjects.find((each) => each === search || each.endsWith(`:${search}`))
  const replayAll = async ({ hours, ...fields }: Values, dryRun: Record<string, string> = {}) => {
    const since = hours ? new Date(Date.now() - Number.parseInt(hours, 10) * HOUR_MS).toISOString() : ''
    return (
      await callInbox('POST', 'replay-all', { ...(fields as Record<string, string>), since, ...dryRun })
    ).replayed
  }
  const count = async (values: Values) => {
    forget()
    const own = asked.current
    const replayed = await replayAll(values, { dryRun: '' })
    if (own === asked.current) set(found, replayed)
  }
  return (
    <Dialog
      title="Replay notifications"
      action="Replay"
      work={async (values) => finish(await replayAll(values), 'replayed')}
      onInput={forget}
    >
      <div class="grid">
        <SelectField
          label="Which"
          name="state"
          options={{ dead: 'Dead', completed: 'Completed', waiting: 'Waiting for a retry' }}
        />
        <SelectField
          label="Kind of notification"
          name="kind"
          {...bind(kind)}
          options={kindOptions(kinds.value)}
        />
        <SelectField label="Finished in" name="hours" options={HOURS} />
        <InputField label="Subject" name="subject" placeholder="payment:48121" defaultValue={subject} />
        <InputField
          label="Error contains (case matters)"
          name="error"
          placeholder="ECONNREFUSED"
          defaultValue={subject ? '' : search}
        />
        <InputField
          label="How many a second"
          name="perSecond"
          type="number"
          min="0.001"
          step="any"
          placeholder="All at once"
        />
      </div>
      <p>Your handlers run again for each of them, with all attempts.</p>
      <p role="status">
        <Button look="small" work={count} text="Count" />{' '}
        {found.value !== undefined && `${counted(found.value, 'notification')} would be replayed.`}
      </p>
    </Dialog>
  )
}

/** Asks before it replays what is completed, which may be due to another click. */
export async function replay(ids: readonly string[], again = false): Promise<void> {
  const failed: { readonly message: string }[] = []
  const completed: string[] = []
  for (let at = 0; at < ids.length; at += MAX_IDS) {
    const query = ids.slice(at, at + MAX_IDS).map((id): [string, string] => ['id', id])
    if (again) query.push(['again', ''])
    const response = await callInbox('POST', 'replay', query)
    failed.push(...response.failed)
    completed.push(...response.completed)
  }
  set(chosen, new Set())
  const replayed = ids.length - failed.length - completed.length
  const [first] = failed
  if (completed.length > 0) showDialog(<ReplayAgainDialog ids={completed} />)
  if (completed.length < ids.length)
    await finish(replayed, first ? `replayed, ${failed.length} not: ${first.message}` : 'replayed')
}

function ReplayAgainDialog({ ids }: { ids: readonly string[] }) {
  return (
    <Dialog title="Handle again?" action="Replay" work={() => replay(ids, true)}>
      <p>Already handled: {counted(ids.length, 'notification')}. Your handlers do their work once more.</p>
    </Dialog>
  )
}

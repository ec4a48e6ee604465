import { showDialog } from '../parts/dialog.tsx'
import { Button, bind, kindOptions, SearchField, Select, Tabs } from '../parts/fields.tsx'
import { shortTime } from '../parts/format.ts'
import { Empty } from '../parts/frame.tsx'
import { Row } from '../parts/list-detail.tsx'
import { go } from '../parts/route.ts'
import { PauseDialog, ReplayDialog, replay } from './dialogs.tsx'
import * as store from './inbox-store.ts'

const { listing } = store
const { state, kind, search } = listing.filter

export function Tools() {
  const marked = store.marked.value
  const tabs = Object.entries(store.LOOKS).map(([name, { label }]) => [
    name,
    <>
      {label}{' '}
      <span class="soft">{store.counts.value?.[name as store.State].toLocaleString('en') ?? '–'}</span>
    </>,
  ])
  return (
    <>
      <Tabs
        label="State"
        selected={state}
        options={{ ...Object.fromEntries(tabs), '': 'All' }}
        onSelect={() => go('entries')}
      />
      <div class="actions">
        <SearchField label="Payment id, or text in bodies and errors" text={search} />
        <Select label="Kind" {...bind(kind)} options={kindOptions(store.kinds.value)} />
      </div>
      <div class="actions">
        {marked.length > 0 ? (
          <Button
            look="main small"
            work={() => replay(marked)}
            text={`Replay ${marked.length.toLocaleString('en')} marked`}
          />
        ) : (
          <Button look="small" work={() => showDialog(<ReplayDialog />)} text="Replay …" />
        )}
        {!store.health.value?.paused && (
          <Button look="small" work={() => showDialog(<PauseDialog />)} text="Pause …" />
        )}
        <span class="soft grow listed">
          {listing.loading.value ? 'Loading …' : `${listing.ids.value.length.toLocaleString('en')} listed`}
        </span>
      </div>
    </>
  )
}

export function EntryRow({ id }: { id: string }) {
  const entry = listing.byId.value.get(id)
  if (!entry) return null
  const { error, dueAt, startedAt, attempts } = entry
  const look = store.LOOKS[entry.state]
  const until = error && dueAt && Date.parse(dueAt) > Date.now() ? `Until ${shortTime(dueAt)}: ` : ''
  const status = startedAt ? `Active since ${shortTime(startedAt)}` : look.label
  return (
    <>
      <input
        type="checkbox"
        aria-label={`Mark ${entry.subject ?? id}`}
        title="Mark it (x)"
        checked={store.marked.value.includes(id)}
        onChange={() => store.toggleMark(id)}
      />
      <Row
        view={listing.view}
        id={id}
        look={look}
        kind={entry.kind ?? store.UNREADABLE}
        of={entry}
        at={entry.receivedAt}
      >
        {until}
        {error ?? `${status}, attempt ${attempts}`}
      </Row>
    </>
  )
}

export function NothingListed() {
  if (state.value === '') return <Empty title="No notifications">Your receiver has accepted none yet.</Empty>
  return <Empty title={`No ${state.value} notifications`}>Choose another state, or all of them.</Empty>
}

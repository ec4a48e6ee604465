import { Button, bind, kindOptions, SearchField, Select, set, Tabs } from '../parts/fields.tsx'
import { shortTime } from '../parts/format.ts'
import { Empty, Frame } from '../parts/frame.tsx'
import { Icon } from '../parts/icons.tsx'
import { ListDetail, Row } from '../parts/list-detail.tsx'
import { showErrors } from '../parts/notice.tsx'
import { go } from '../parts/route.ts'
import { replay } from './actions.ts'
import { question } from './confirm.tsx'
import { ConfirmDialogs } from './confirm-dialogs.tsx'
import { EntryDetail } from './entry-detail.tsx'
import { HEALTH_LOOKS, HealthLine, PauseBanner } from './health-line.tsx'
import * as store from './inbox-store.ts'

export const STATES: Readonly<Record<store.State | 'all', readonly [label: string, explanation: string]>> = {
  dead: ['Dead', 'A notification is dead if its handler failed too often, or if its body cannot be read.'],
  waiting: ['Waiting', 'Notifications that no handler has taken yet, or that are retried later.'],
  active: ['Active', 'Notifications whose handlers are running. If some wait, is a receiver started?'],
  completed: ['Completed', 'Notifications whose handlers succeeded, for some days.'],
  all: ['All', 'The notifications that your receiver accepted.'],
}

export function InboxView() {
  const [counts, health] = [store.counts.value, store.health.value]
  return (
    <Frame title="Inbox" isLive={store.reachable.value}>
      <PauseBanner />
      <HealthLine />
      <ListDetail
        label="Notifications"
        listing={store.listing}
        tools={<Tools />}
        row={(id) => <EntryRow id={id} />}
        empty={<EmptyList />}
        overview={<Overview />}
        detail={(id) => <EntryDetail id={id} />}
        onEnd={() => void showErrors(store.loadMore)}
      />
      <ConfirmDialogs />
      <p class="hidden" role="status">
        {counts && `${counts.dead} dead, ${counts.waiting} waiting`}
        {health && `, ${HEALTH_LOOKS[health.status].label}`}
      </p>
    </Frame>
  )
}

function Tools() {
  const counts = store.counts.value
  const marked = store.marked.value
  const count = (state: store.State) => (
    <span class="count">{counts?.[state].toLocaleString('en') ?? '–'}</span>
  )
  return (
    <>
      <Tabs
        label="State"
        selected={store.state}
        options={{
          dead: <>Dead {count('dead')}</>,
          waiting: <>Waiting {count('waiting')}</>,
          active: <>Active {count('active')}</>,
          completed: <>Completed {count('completed')}</>,
          all: 'All',
        }}
        onSelect={() => go('entries')}
      />
      <div class="actions">
        <SearchField label="Payment id, or text in bodies and errors" text={store.search} />
        <Select
          aria-label="Kind"
          {...bind(store.kind)}
          options={{ '': 'All kinds', ...kindOptions(store.kinds.value) }}
        />
      </div>
      <div class="actions">
        {marked.size > 0 ? (
          <Button look="main small" work={() => replay([...marked])}>
            Replay {marked.size.toLocaleString('en')} marked
          </Button>
        ) : (
          <Button look="small" work={() => set(question, 'replay-all')}>
            Replay …
          </Button>
        )}
        <Button look="small" work={() => set(question, 'prune')}>
          Delete …
        </Button>
        {!store.health.value?.paused && (
          <Button look="small" work={() => set(question, 'pause')}>
            Pause …
          </Button>
        )}
        <span class="soft grow listed">
          {store.loading.value
            ? 'Loading …'
            : `${store.listing.ids.value.length.toLocaleString('en')} listed`}
        </span>
      </div>
    </>
  )
}

function EntryRow({ id }: { id: string }) {
  const entry = store.entryOf(id)
  if (!entry) return null
  const look = store.LOOKS[entry.state]
  const isMarked = store.marked.value.has(id)
  const mark = (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the key x does the same.
    // biome-ignore lint/a11y/noStaticElementInteractions: the key x does the same.
    <span
      class={`mark tone-${isMarked ? 'accent' : look.tone}`}
      title={`${look.label}. Click or press x to mark it`}
      onClick={(event) => {
        event.stopPropagation()
        store.toggleMark(id)
      }}
    >
      <Icon name={isMarked ? 'marked' : look.icon} />
    </span>
  )
  const kind = entry.kind ?? 'Unreadable body'
  const until =
    entry.error && entry.dueAt && Date.parse(entry.dueAt) > Date.now()
      ? `Until ${shortTime(entry.dueAt)}: `
      : ''
  const status = entry.startedAt ? `Active since ${shortTime(entry.startedAt)}` : look.label
  return (
    <Row look={look} mark={mark} kind={kind} of={entry} at={entry.receivedAt}>
      {isMarked && <span class="hidden">marked, </span>}
      {until}
      {entry.error ?? `${status}, attempt ${entry.attempts}`}
    </Row>
  )
}

function EmptyList() {
  if (store.loading.value || !store.counts.value) return <p class="empty">Loading …</p>
  if (store.search.value || store.kind.value) {
    const showAll = () => {
      store.kind.value = ''
      store.search.value = ''
    }
    return (
      <Empty title="No matches">
        <Button work={showAll}>Clear search and kind</Button>
      </Empty>
    )
  }
  const [label, explanation] = STATES[store.state.value]
  return (
    <Empty
      title={store.state.value === 'all' ? 'No notifications' : `No ${label.toLowerCase()} notifications`}
    >
      <p>{explanation}</p>
    </Empty>
  )
}

function Overview() {
  return (
    <Empty title="Choose a notification">
      <p>
        It shows why a notification is dead, its exact bytes and the event that your handlers get. Fix the
        cause, then replay one, the marked ones, or all that are dead.
      </p>
    </Empty>
  )
}

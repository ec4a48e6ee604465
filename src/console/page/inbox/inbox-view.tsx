import { Button, bind, Select, set, Tabs } from '../parts/fields.tsx'
import { counted, kindLabel, shortTime, subjectLine } from '../parts/format.ts'
import { Frame } from '../parts/frame.tsx'
import { Icon } from '../parts/icons.tsx'
import { ListDetail } from '../parts/list-detail.tsx'
import { attempt } from '../parts/notice.tsx'
import { go } from '../parts/route.ts'
import { replay } from './actions.ts'
import { ConfirmDialogs, question } from './confirm-dialogs.tsx'
import { EntryDetail } from './entry-detail.tsx'
import * as store from './inbox-store.ts'

/** The tabs, and what an empty one says. */
export const STATES: readonly { state: store.State | 'all'; label: string; title: string; text: string }[] = [
  {
    state: 'dead',
    label: 'Dead',
    title: 'No dead notifications',
    text: 'A notification is dead if its handler failed too often, or if its body cannot be read.',
  },
  {
    state: 'waiting',
    label: 'Waiting',
    title: 'No waiting notifications',
    text: 'Every notification is completed or dead.',
  },
  {
    state: 'active',
    label: 'Active',
    title: 'No active notifications',
    text: 'Notifications are listed here while your handlers run. If some wait, is a receiver started?',
  },
  {
    state: 'completed',
    label: 'Completed',
    title: 'No completed notifications yet',
    text: 'Notifications whose handler succeeded are listed here for some days.',
  },
  { state: 'all', label: 'All', title: 'The inbox is empty', text: 'Every notification is listed here.' },
]

/** The page of an inbox. */
export function InboxView() {
  const counts = store.counts.value
  return (
    <Frame title="Inbox" isLive={store.reachable.value}>
      <ListDetail
        label="Notifications"
        listing={store.listing}
        tools={<Tools />}
        row={(id) => <Row id={id} />}
        empty={<EmptyList />}
        overview={<Overview />}
        detail={(id) => <EntryDetail id={id} />}
        onEnd={() => void attempt(store.loadMore)}
      />
      <ConfirmDialogs />
      <p class="hidden" role="status">
        {counts && `${counts.dead} dead, ${counts.waiting} waiting`}
      </p>
    </Frame>
  )
}

function Tools() {
  const counts = store.counts.value
  const marked = store.marked.value
  return (
    <>
      <Tabs
        label="State"
        selected={store.state}
        options={STATES.map(({ state, label }) => [
          state,
          <>
            {label}{' '}
            {state !== 'all' && <span class="count">{counts?.[state].toLocaleString('en') ?? '–'}</span>}
          </>,
        ])}
        onSelect={() => go('entries')}
      />
      <div class="row">
        <input
          id="search"
          class="grow"
          type="search"
          placeholder="Search in bodies, errors and ids"
          aria-label="Search in bodies, errors and ids"
          {...bind(store.search)}
        />
        <Select
          aria-label="Kind"
          {...bind(store.kind)}
          options={[['', 'All kinds'], ...store.kinds.value.map((kind) => [kind, kindLabel(kind)] as const)]}
        />
      </div>
      <div class="row">
        {marked.size > 0 ? (
          <Button look="main small" work={() => replay([...marked])}>
            Replay {marked.size.toLocaleString('en')} marked
          </Button>
        ) : (
          <Button look="small" disabled={!counts?.dead} work={() => set(question, 'replay-dead')}>
            Replay all dead …
          </Button>
        )}
        <Button look="small" work={() => set(question, 'prune')}>
          Delete …
        </Button>
        <span class="soft grow listed">
          {store.loading.value ? 'Loading …' : counted(store.listing.ids.value.length, 'listed', 'listed')}
        </span>
      </div>
    </>
  )
}

function Row({ id }: { id: string }) {
  const entry = store.entryOf(id)
  if (!entry) return null
  const marked = store.marked.value.has(id)
  const { label, tone, icon } = store.LOOKS[entry.state]
  return (
    <>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the key x does the same. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the key x does the same. */}
      <span
        class={`mark tone-${marked ? 'accent' : tone}`}
        title={`${label}. Click or press x to mark it`}
        onClick={(event) => {
          event.stopPropagation()
          store.toggleMark(id)
        }}
      >
        {marked ? <MarkedIcon /> : <Icon name={icon ?? 'minus'} />}
      </span>
      <span class="first parts">
        <span>{entry.kind ? kindLabel(entry.kind) : 'Unreadable body'} </span>
        <span class="subject"> {subjectLine(entry.subject)}</span>
      </span>
      <span class="at">{shortTime(entry.receivedAt)}</span>
      <span class="second">
        {marked && <span class="hidden">marked, </span>}
        {entry.error ?? `${label}, attempt ${entry.attempts}`}
      </span>
    </>
  )
}

function MarkedIcon() {
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <rect x="1" y="1" width="14" height="14" rx="4" fill="currentColor" />
      <path d="M4.5 8.3 7 10.8 11.5 5.5" fill="none" stroke="var(--panel)" stroke-width="2" />
    </svg>
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
      <div class="empty">
        <h2>No matches</h2>
        <Button work={showAll}>Clear search and kind</Button>
      </div>
    )
  }
  const shown = STATES.find(({ state }) => state === store.state.value)
  return (
    <div class="empty">
      <h2>{shown?.title}</h2>
      <p>{shown?.text}</p>
    </div>
  )
}

function Overview() {
  return (
    <div class="empty">
      <h2>Choose a notification</h2>
      <p>
        It shows why a notification is dead, its exact bytes and the event that your handlers get. Fix the
        cause, then replay one, the marked ones, or all that are dead.
      </p>
      <p>
        <kbd>j</kbd> <kbd>k</kbd> to move, <kbd>x</kbd> to mark, <kbd>r</kbd> to replay, <kbd>?</kbd> for all
        keys.
      </p>
    </div>
  )
}

import { useEffect } from 'preact/hooks'
import { counted, kindLabel, shortTime } from '../parts/format.ts'
import { Frame, Split, Tabs } from '../parts/frame.tsx'
import { Icon } from '../parts/icons.tsx'
import { attempt, run } from '../parts/notice.tsx'
import { go, route } from '../parts/route.ts'
import { WindowedList } from '../parts/windowed-list.tsx'
import { replay, showAll } from './actions.ts'
import { ConfirmDialogs, question } from './confirm-dialogs.tsx'
import { EntryDetail, LOOKS } from './entry-detail.tsx'
import * as store from './inbox-store.ts'

const TABS = [
  ['dead', 'Dead'],
  ['waiting', 'Waiting'],
  ['active', 'Active'],
  ['completed', 'Handled'],
] as const

const EMPTY: Record<store.State, { title: string; text: string }> = {
  dead: {
    title: 'Nothing is dead',
    text: 'A notification is dead if its handler failed too often, or if its body cannot be read.',
  },
  waiting: {
    title: 'Nothing waits',
    text: 'Every notification has been handled or is dead.',
  },
  active: {
    title: 'Nothing is being handled',
    text: 'Notifications are listed here while your handlers run. If some wait, is a receiver started?',
  },
  completed: {
    title: 'Nothing has been handled yet',
    text: 'Notifications whose handler succeeded are listed here for some days.',
  },
}

/** The page of an inbox. */
export function InboxView() {
  useEffect(() => void store.watchCounts(), [])
  const { id } = route.value
  const counts = store.counts.value
  return (
    <Frame
      title="Inbox"
      status={
        <span class={store.reachable.value ? 'live on' : 'live'}>
          {store.reachable.value ? 'Live' : 'No connection'}
        </span>
      }
    >
      <Split
        open={id !== undefined}
        tools={<Tools />}
        list={store.entries.value.length > 0 ? <List id={id} /> : <EmptyList />}
        detail={id === undefined ? <Overview /> : <EntryDetail key={id} id={id} />}
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
        value={store.state.value}
        options={TABS.map(([value, label]) => [
          value,
          <>
            {label} <span class="count">{counts ? counts[value].toLocaleString('en') : '–'}</span>
          </>,
        ])}
        onChange={(state) => {
          go('entries')
          void attempt(() => store.show({ state }))
        }}
      />
      <div class="row">
        <input
          id="search"
          class="grow"
          type="search"
          placeholder="Search in bodies, errors and ids"
          aria-label="Search in bodies, errors and ids"
          value={store.search.value}
          onInput={(event) => void attempt(() => store.show({ search: event.currentTarget.value }))}
        />
        <select
          aria-label="Kind"
          value={store.kind.value}
          onChange={(event) => void attempt(() => store.show({ kind: event.currentTarget.value }))}
        >
          <option value="">All kinds</option>
          {store.kinds.value.map((kind) => (
            <option key={kind} value={kind}>
              {kindLabel(kind)}
            </option>
          ))}
        </select>
      </div>
      <div class="row">
        {marked.size > 0 ? (
          <button type="button" class="main small" onClick={run(() => replay([...marked]))}>
            Replay {counted(marked.size, 'marked', 'marked')}
          </button>
        ) : (
          <button
            type="button"
            class="small"
            aria-disabled={!counts?.dead}
            onClick={() => {
              if (counts?.dead) question.value = 'replay-dead'
            }}
          >
            Replay all dead …
          </button>
        )}
        <button
          type="button"
          class="small"
          onClick={() => {
            question.value = 'prune'
          }}
        >
          Delete …
        </button>
        <span class="soft grow" style={{ textAlign: 'right' }}>
          {store.loading.value ? 'Loading …' : `${store.entries.value.length.toLocaleString('en')} listed`}
        </span>
      </div>
    </>
  )
}

function List({ id }: { id: string | undefined }) {
  const entries = store.entries.value
  return (
    <WindowedList
      label="Notifications"
      count={entries.length}
      idAt={(index) => entries[index]?.id ?? ''}
      indexOf={(wanted) => store.indices.value.get(wanted) ?? -1}
      selected={id}
      onSelect={(wanted) => go('entries', wanted)}
      onOpen={() => setTimeout(() => document.getElementById('detail-title')?.focus())}
      onEnd={() => void attempt(store.loadMore)}
      row={(index) => <Row index={index} />}
    />
  )
}

function Row({ index }: { index: number }) {
  const entry = store.entries.value[index]
  if (!entry) return null
  const marked = store.marked.value.has(entry.id)
  const { label, tone, icon } = LOOKS[entry.state]
  return (
    <>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the key x does the same. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the key x does the same. */}
      <span
        class={`mark tone-${marked ? 'accent' : tone}`}
        title={`${label}. Click or press x to mark it`}
        onClick={(event) => {
          event.stopPropagation()
          store.toggleMark(entry.id)
        }}
      >
        {marked ? <MarkedIcon /> : <Icon name={icon} />}
      </span>
      <span class="first">{entry.kind ? kindLabel(entry.kind) : 'Unreadable body'}</span>
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
  if (store.search.value || store.kind.value)
    return (
      <div class="empty">
        <h2>Nothing matches</h2>
        <button type="button" onClick={run(showAll)}>
          Clear search and kind
        </button>
      </div>
    )
  const { title, text } = EMPTY[store.state.value]
  return (
    <div class="empty">
      <h2>{title}</h2>
      <p>{text}</p>
    </div>
  )
}

function Overview() {
  return (
    <div class="empty">
      <h2>Choose a notification</h2>
      <p>
        It shows why a notification is dead, its exact bytes and the event that your handlers get. Fix what
        went wrong, then replay one, the marked ones, or all that are dead.
      </p>
      <p>
        <kbd>j</kbd> <kbd>k</kbd> to move, <kbd>x</kbd> to mark, <kbd>r</kbd> to replay, <kbd>?</kbd> for all
        keys.
      </p>
    </div>
  )
}

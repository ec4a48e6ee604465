import type { JSX } from 'preact'
import { Button } from '../parts/fields.tsx'
import { age, exactTime, shortTime } from '../parts/format.ts'
import { Empty, Frame, Note } from '../parts/frame.tsx'
import { Chip, type StateLook } from '../parts/icons.tsx'
import { bindKeys } from '../parts/keys.tsx'
import { ListDetail, move } from '../parts/list-detail.tsx'
import { showErrors } from '../parts/notice.tsx'
import { go, hashOf, route } from '../parts/route.ts'
import { replay } from './dialogs.tsx'
import { EntryDetail } from './entry-detail.tsx'
import { EntryRow, NothingListed, Tools } from './entry-list.tsx'
import * as store from './inbox-store.ts'

const { listing } = store

const HEALTH_LOOKS: Readonly<Record<store.Health['status'], StateLook>> = {
  pass: { label: 'Healthy', tone: 'ok', icon: 'check' },
  warn: { label: 'Needs attention', tone: 'warn', icon: 'clock' },
  fail: { label: 'Not available', tone: 'bad', icon: 'cross' },
}

function InboxPage() {
  const [counts, health] = [store.counts.value, store.health.value]
  return (
    <Frame title="Inbox" trouble={store.trouble.value}>
      <PauseBanner />
      <HealthLine />
      <ListDetail
        label="Notifications"
        listing={listing}
        tools={<Tools />}
        row={(id) => <EntryRow id={id} />}
        empty={<NothingListed />}
        overview={
          <Empty title="Choose a notification">
            It shows why a notification is dead, its exact bytes and the event that your handlers get. Fix the
            cause, then replay one, the marked ones, or all that are dead.
          </Empty>
        }
        detail={(id) => <EntryDetail id={id} />}
      />
      <p class="hidden" role="status">
        {counts && `${counts.dead} dead, ${counts.waiting} waiting`}
        {health && `, ${HEALTH_LOOKS[health.status].label}`}
      </p>
    </Frame>
  )
}

function PauseBanner() {
  const paused = store.health.value?.paused
  if (!paused) return null
  return (
    <Note tone="warn" title={`Paused since ${exactTime(paused.since)}`}>
      <p>{paused.reason}</p>
      <Button look="small" work={store.resume} text="Resume" />
    </Note>
  )
}

function HealthLine() {
  const found = store.health.value
  if (!found) return null
  const { waiting, active, lastStoredAt, problems } = found
  // What was fine may no longer be.
  const status = store.trouble.value ? 'fail' : found.status
  return (
    <section class="health" aria-label="Health">
      <Chip {...HEALTH_LOOKS[status]} />
      {problems.map(({ code, message }) => code !== 'paused' && <span key={code}>{message}</span>)}
      {waiting.oldestAgeMs !== null && !problems.some(({ code }) => code === 'waiting') && (
        <span class="soft">Oldest waiting: {age(waiting.oldestAgeMs)}</span>
      )}
      {active.oldestAgeMs !== null && active.entryId !== null && (
        <span class="soft">
          Oldest active: {age(active.oldestAgeMs)},{' '}
          <a href={hashOf(listing.view, active.entryId)}>{active.subject ?? active.entryId}</a>
        </span>
      )}
      {status !== 'fail' && (
        <span class="soft">Last received: {lastStoredAt === null ? 'never' : shortTime(lastStoredAt)}</span>
      )}
    </section>
  )
}

function replayChosen(): void {
  const { id } = route.value
  const ids = store.marked.value.length > 0 ? store.marked.value : id ? [id] : []
  if (ids.length > 0) void showErrors(() => replay(ids))
}

export function openInboxPage(): JSX.Element {
  const states = [...Object.entries(store.LOOKS), ['', { label: 'All' }] as const]
  bindKeys([
    { key: 'j', label: 'Next notification', run: () => move(listing, 1), repeats: true },
    { key: 'k', label: 'Previous notification', run: () => move(listing, -1), repeats: true },
    { key: '/', label: 'Search', run: () => document.getElementById('search')?.focus() },
    { key: 'x', label: 'Mark it', run: () => route.value.id && store.toggleMark(route.value.id) },
    { key: 'r', label: 'Replay the marked ones, or the one that is open', run: replayChosen },
    ...states.map(([state, { label }], index) => ({
      key: String(index + 1),
      label,
      run: () => {
        go('entries')
        listing.filter.state.value = state
      },
    })),
    { key: 'Escape', label: 'Back to the list', run: () => go('entries') },
  ])
  store.watch()
  return <InboxPage />
}

import { Button } from '../parts/fields.tsx'
import { age, exactTime, shortTime } from '../parts/format.ts'
import { Note } from '../parts/frame.tsx'
import { Chip, type StateLook } from '../parts/icons.tsx'
import { resume } from './actions.ts'
import { type Health, health } from './inbox-store.ts'

export const HEALTH_LOOKS: Readonly<Record<Health['status'], StateLook>> = {
  pass: { label: 'Healthy', tone: 'ok', icon: 'check' },
  warn: { label: 'Needs attention', tone: 'warn', icon: 'clock' },
  fail: { label: 'Not available', tone: 'bad', icon: 'cross' },
}

/** Says that no handler begins. */
export function PauseBanner() {
  const paused = health.value?.paused
  if (!paused) return null
  return (
    <Note tone="warn" title={`Paused since ${exactTime(paused.since)}`}>
      <p>{paused.reason}</p>
      <Button look="small" work={resume}>
        Resume
      </Button>
    </Note>
  )
}

/** How the inbox is doing, in a line at the top. */
export function HealthLine() {
  const found = health.value
  if (!found) return null
  const { status, waiting, active, lastStoredAt, problems } = found
  return (
    <section class="health" aria-label="Health">
      <Chip {...HEALTH_LOOKS[status]} />
      {problems.map(({ code, message }) => code !== 'paused' && <span key={code}>{message}</span>)}
      {waiting.oldestAgeMs !== null && !problems.some(({ code }) => code === 'waiting') && (
        <span class="soft">Oldest waiting: {age(waiting.oldestAgeMs)}</span>
      )}
      {waiting.deferred ? <span class="soft">Deferred: {waiting.deferred.toLocaleString('en')}</span> : null}
      {active.oldestAgeMs !== null && active.entryId !== null && (
        <span class="soft">
          Oldest active: {age(active.oldestAgeMs)},{' '}
          <a href={`#/entries/${encodeURIComponent(active.entryId)}`}>{active.subject ?? active.entryId}</a>
        </span>
      )}
      {status !== 'fail' && (
        <span class="soft">Last received: {lastStoredAt === null ? 'never' : shortTime(lastStoredAt)}</span>
      )}
    </section>
  )
}

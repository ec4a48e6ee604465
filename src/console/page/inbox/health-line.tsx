import { age, shortTime } from '../parts/format.ts'
import { Chip, type StateLook } from '../parts/icons.tsx'
import { type Health, health } from './inbox-store.ts'

export const HEALTH_LOOKS: Readonly<Record<Health['status'], StateLook>> = {
  pass: { label: 'Healthy', tone: 'ok', icon: 'check' },
  warn: { label: 'Needs attention', tone: 'warn', icon: 'clock' },
  fail: { label: 'Not available', tone: 'bad', icon: 'cross' },
}

/** How the inbox is doing, in a line at the top. */
export function HealthLine() {
  const found = health.value
  if (!found) return null
  const { status, waiting, active, lastStoredAt, problems } = found
  return (
    <section class="health" aria-label="Health">
      <Chip {...HEALTH_LOOKS[status]} />
      {problems.map(({ code, message }) => (
        <span key={code}>{message}</span>
      ))}
      {waiting.oldestAgeMs !== null && !problems.some(({ code }) => code === 'waiting') && (
        <span class="soft">Oldest waiting: {age(waiting.oldestAgeMs)}</span>
      )}
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

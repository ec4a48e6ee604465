import type { AttemptJson, DeliverySummaryJson } from '../../../sandbox/control/wire.ts'
import { CodeBlock } from '../parts/code-block.tsx'
import { duration, exactTime } from '../parts/format.ts'
import { Card, Facts, Note } from '../parts/frame.tsx'
import { Icon } from '../parts/icons.tsx'
import { adviseOn } from './advice.ts'

/** An attempt, with the response if the detail is loaded. */
type Attempt = DeliverySummaryJson['attempts'][number] & Partial<AttemptJson>

/** The attempts on a time line, and the receiver's responses. */
export function AttemptsCard({ delivery }: { delivery: DeliverySummaryJson }) {
  const attempts: readonly Attempt[] = delivery.attempts
  const advice = adviseOn(delivery)
  return (
    <Card title={attempts.length > 1 ? `${attempts.length} attempts` : 'Attempt'}>
      {advice && (
        <Note tone={advice.tone} title={advice.title}>
          {advice.text}
        </Note>
      )}
      {attempts.length > 1 && <TimeLine attempts={attempts} />}
      {attempts.length === 0 && delivery.state === 'pending' && <p class="soft">On its way …</p>}
      <ol class="attempts">
        {attempts.map((attempt) => (
          <AttemptRow key={attempt.number} attempt={attempt} />
        ))}
      </ol>
    </Card>
  )
}

function AttemptRow({ attempt }: { attempt: Attempt }) {
  const ok = isOk(attempt)
  const headers = Object.entries(attempt.responseHeaders ?? {})
  return (
    <li>
      <span class={ok ? 'tone-ok' : 'tone-bad'}>
        <Icon name={ok ? 'check' : 'cross'} />
      </span>
      <span>
        {attempt.number}. at {exactTime(attempt.startedAt)}
      </span>
      <span>{duration(attempt.durationMs)}</span>
      <strong class={`wrap ${ok ? 'tone-ok' : 'tone-bad'}`}>
        {attempt.status ?? ''} {attempt.error ?? ''}
      </strong>
      <div class="response">
        {attempt.duplicate && (
          <p class="note tone-warn">
            A duplicate: the receiver had this notification already, so no handler ran. Change the body to
            send a new one.
          </p>
        )}
        {attempt.responseBody && (
          <CodeBlock label={`Response to attempt ${attempt.number}`} text={attempt.responseBody} />
        )}
        {headers.length > 0 && (
          <details>
            <summary>Response headers</summary>
            <Facts mono facts={headers} />
          </details>
        )}
      </div>
    </li>
  )
}

/** Width of a label on a phone. */
const LABEL_PERCENT = 20

function TimeLine({ attempts }: { attempts: readonly Attempt[] }) {
  const start = Date.parse(attempts[0]?.startedAt ?? '')
  const ends = attempts.map(({ startedAt, durationMs }) => Date.parse(startedAt) - start + durationMs)
  const whole = Math.max(1, ...ends)
  // Labels that would overlap are left out: the list below has all times.
  let labeled = 0
  return (
    <div class="track" aria-hidden="true">
      {attempts.map((attempt) => {
        const at = Date.parse(attempt.startedAt) - start
        const left = (at / whole) * 94
        // A label covers its tick: at the left end it starts there, at the right end it ends there.
        const label = left * (1 - LABEL_PERCENT / 100)
        const isLabeled = label >= labeled
        if (isLabeled) labeled = label + LABEL_PERCENT
        return (
          <div key={attempt.number} class={isOk(attempt) ? 'tone-ok' : 'tone-bad'}>
            <span class="bar" style={{ left: `${left}%`, width: `${(attempt.durationMs / whole) * 94}%` }} />
            {isLabeled && (
              <span class="when" style={{ left: `${left}%`, transform: `translateX(-${left}%)` }}>
                {at === 0 ? duration(attempt.durationMs) : `+${duration(at)}`}
              </span>
            )}
          </div>
        )
      })}
    </div>
  )
}

function isOk({ status, error }: Attempt): boolean {
  return status !== undefined && status >= 200 && status < 300 && error === undefined
}

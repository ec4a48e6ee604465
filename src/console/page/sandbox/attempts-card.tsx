import { CodeBlock } from '../parts/code-block.tsx'
import { duration, exactTime } from '../parts/format.ts'
import { Card } from '../parts/frame.tsx'
import { Icon } from '../parts/icons.tsx'
import { adviseOn } from './advice.ts'
import type { Attempt, DeliverySummary } from './control-answers.ts'

/** The attempts on a time line, and what the receiver answered. */
export function AttemptsCard({ delivery }: { delivery: DeliverySummary }) {
  const { attempts } = delivery
  const advice = adviseOn(delivery)
  return (
    <Card title={attempts.length > 1 ? `${attempts.length} attempts` : 'Attempt'}>
      <div class="body">
        {advice && (
          <div class={`note tone-${advice.tone}`}>
            <strong>{advice.title}</strong>
            <span>{advice.text}</span>
          </div>
        )}
        {attempts.length > 1 && <TimeLine attempts={attempts} />}
        {attempts.length === 0 && delivery.state === 'pending' && <p class="soft">On its way …</p>}
        <ol class="attempts">
          {attempts.map((attempt) => (
            <AttemptRow key={attempt.number} attempt={attempt} />
          ))}
        </ol>
      </div>
    </Card>
  )
}

function AttemptRow({ attempt }: { attempt: Attempt }) {
  const ok = isOk(attempt)
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
      {attempt.responseBody && (
        <div class="answer">
          <CodeBlock label={`Answer to attempt ${attempt.number}`}>{attempt.responseBody}</CodeBlock>
        </div>
      )}
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
  let labelled = 0
  return (
    <div class="track" aria-hidden="true">
      {attempts.map((attempt) => {
        const at = Date.parse(attempt.startedAt) - start
        const left = (at / whole) * 94
        const label = Math.min(left, 100 - LABEL_PERCENT)
        const isLabelled = label >= labelled
        if (isLabelled) labelled = label + LABEL_PERCENT
        return (
          <div key={attempt.number} class={isOk(attempt) ? 'tone-ok' : 'tone-bad'}>
            <span class="bar" style={{ left: `${left}%`, width: `${(attempt.durationMs / whole) * 94}%` }} />
            {isLabelled && (
              <span class="when" style={{ left: `${label}%` }}>
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

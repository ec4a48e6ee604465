import type { AttemptJson, DeliverySummaryJson } from '../../../sandbox/control/control-json.ts'
import { CodeBlock } from '../parts/code-block.tsx'
import { duration, exactTime } from '../parts/format.ts'
import { Card, Facts, Note } from '../parts/frame.tsx'
import { Icon } from '../parts/icons.tsx'
import { adviseOn } from './advice.ts'

/** An attempt, with the response if the detail is loaded. */
type Attempt = DeliverySummaryJson['attempts'][number] & Partial<AttemptJson>

export function AttemptsCard({ delivery }: { delivery: DeliverySummaryJson }) {
  const attempts: readonly Attempt[] = delivery.attempts
  const advice = adviseOn(delivery)
  return (
    <Card title={attempts.length > 1 ? `${attempts.length} attempts` : 'Attempt'}>
      {advice && (
        <Note tone={delivery.state === 'failed' ? 'bad' : 'warn'} title={advice[0]}>
          {advice[1]}
        </Note>
      )}
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

function isOk({ status, error }: Attempt): boolean {
  return status !== undefined && status >= 200 && status < 300 && error === undefined
}

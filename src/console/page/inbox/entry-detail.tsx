import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { EntryDetail as Entry, EntrySummary } from '../../inbox-answers.ts'
import { BodyCard } from '../parts/body-card.tsx'
import { CopyButton } from '../parts/clipboard.tsx'
import { exactTime, kindLabel } from '../parts/format.ts'
import { Card } from '../parts/frame.tsx'
import { Chip, Icon, type IconName, type Tone } from '../parts/icons.tsx'
import { attempt, run } from '../parts/notice.tsx'
import { go } from '../parts/route.ts'
import { replay } from './actions.ts'
import { callInbox, counts } from './inbox-store.ts'

export const LOOKS: Record<EntrySummary['state'], { label: string; tone: Tone; icon: IconName }> = {
  dead: { label: 'Dead', tone: 'bad', icon: 'cross' },
  waiting: { label: 'Waiting', tone: 'warn', icon: 'clock' },
  active: { label: 'Being handled', tone: 'accent', icon: 'play' },
  completed: { label: 'Handled', tone: 'ok', icon: 'check' },
}

/** One entry: its outcome, its content, and actions. */
export function EntryDetail({ id }: { id: string }) {
  const loaded = useSignal<Entry | undefined>(undefined)
  const missing = useSignal(false)
  const changed = counts.value
  useEffect(() => {
    let current = true
    void attempt(async () => {
      try {
        const entry = await callInbox('GET', 'entry', [['id', id]])
        if (current) loaded.value = entry
      } catch (error) {
        if (current) missing.value = true
        throw error
      }
    })
    return () => {
      current = false
    }
  }, [id, changed])

  const entry = loaded.value
  const back = (
    <button type="button" class="back" onClick={() => go('entries')}>
      <Icon name="back" /> Back to the list
    </button>
  )
  if (entry?.id !== id)
    return (
      <div class="detail">
        {back}
        <p class="soft">{missing.value ? 'This entry is no longer in the inbox.' : 'Loading …'}</p>
      </div>
    )
  const { label, tone, icon } = LOOKS[entry.state]
  return (
    <article class="detail">
      {back}
      <div class="title">
        <h1 id="detail-title" tabIndex={-1}>
          {entry.kind ?? 'Unreadable body'}
        </h1>
        <div class="meta">
          <Chip tone={tone} icon={icon}>
            {label}
          </Chip>
          {entry.kind && <span>{kindLabel(entry.kind)}</span>}
          <span>received {exactTime(entry.receivedAt)}</span>
        </div>
      </div>
      {entry.state !== 'active' && (
        <div class="actions">
          <button type="button" class="main" onClick={run(() => replay([id]))}>
            Replay
          </button>
          <span class="soft">Runs your handlers again now, with all attempts.</span>
        </div>
      )}
      {entry.error && (
        <div class={`note tone-${entry.state === 'dead' ? 'bad' : 'warn'}`}>
          <strong>{entry.state === 'dead' ? 'Why it is dead' : 'What went wrong the last time'}</strong>
          <code>{entry.error}</code>
        </div>
      )}
      <Card title="Handling">
        <div class="body">
          <dl class="facts">
            <dt>Attempts</dt>
            <dd>{entry.attempts}</dd>
            {entry.dueAt && [<dt key="due">Next attempt</dt>, <dd key="at">{exactTime(entry.dueAt)}</dd>]}
            {entry.finishedAt && [
              <dt key="end">Finished</dt>,
              <dd key="at">{exactTime(entry.finishedAt)}</dd>,
            ]}
            <dt>Entry</dt>
            <dd class="mono">{entry.id}</dd>
            <dt>Client id</dt>
            <dd class="mono">{entry.clientId}</dd>
            <dt>Signature</dt>
            <dd class="mono">
              {entry.signature} <CopyButton text={entry.signature} what="signature" />
            </dd>
          </dl>
        </div>
      </Card>
      {'error' in entry.event && <p class="note tone-bad">The bytes give no event: {entry.event.error}</p>}
      <BodyCard bodyBase64={entry.bodyBase64} event={'json' in entry.event ? entry.event.json : undefined} />
    </article>
  )
}

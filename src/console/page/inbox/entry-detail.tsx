import { BodyCard } from '../parts/body-card.tsx'
import { CopyButton } from '../parts/clipboard.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { Button, set } from '../parts/fields.tsx'
import { exactTime } from '../parts/format.ts'
import { Card, Facts, Note } from '../parts/frame.tsx'
import { Title, useLoaded } from '../parts/list-detail.tsx'
import { replay } from './actions.ts'
import { question } from './confirm.tsx'
import { callInbox, counts, LOOKS, type State, showAbout } from './inbox-store.ts'

export function EntryDetail({ id }: { id: string }) {
  const entry = useLoaded(() => callInbox('GET', 'entry', [['id', id]]), [id, counts.value])
  if (!entry) return <p class="soft">Loading …</p>
  if (entry instanceof Error) return <p class="note tone-bad">{entry.message}</p>
  const isDead = entry.state === 'dead'
  const { event } = entry
  return (
    <>
      <Title kind={entry.kind ?? 'Unreadable body'} look={LOOKS[entry.state]}>
        <span>received {exactTime(entry.receivedAt)}</span>
      </Title>
      {entry.state !== 'active' && (
        <div class="actions">
          <Button look="main" work={() => replay([id])}>
            Replay
          </Button>
          <span class="soft grow">Runs your handlers again now, with all attempts.</span>
          <Button look="danger" work={() => set(question, { deleteId: id })}>
            Delete this one …
          </Button>
        </div>
      )}
      {entry.error && (
        <Note tone={isDead ? 'bad' : 'warn'} title={titleOf(entry)}>
          <CodeBlock label="Error" text={entry.error} />
        </Note>
      )}
      <Card title="Handling">
        <Facts
          facts={[
            entry.subject && [
              'Subject',
              <>
                <span class="mono">{entry.subject}</span>{' '}
                <Button
                  look="plain small"
                  label={`Show all of ${entry.subject}`}
                  work={() => showAbout(entry.subject ?? '')}
                >
                  Show all
                </Button>
              </>,
            ],
            entry.concurrencyKey && ['Concurrency key', <span class="mono">{entry.concurrencyKey}</span>],
            ['Attempts', entry.attempts],
            entry.startedAt && ['Active since', exactTime(entry.startedAt)],
            entry.busySince && [
              'Waits for',
              `another notification of ${entry.concurrencyKey ?? entry.subject}, active since ${exactTime(entry.busySince)}`,
            ],
            entry.dueAt && ['Next attempt', exactTime(entry.dueAt)],
            entry.finishedAt && ['Finished', exactTime(entry.finishedAt)],
            ['Entry', <span class="mono">{entry.id}</span>],
            ['Idempotency key', <span class="mono">{entry.idempotencyKey}</span>],
            ['Client id', <span class="mono">{entry.clientId}</span>],
            [
              'Signature',
              <span class="mono">
                {entry.signature} <CopyButton text={entry.signature} what="signature" />
              </span>,
            ],
          ]}
        />
      </Card>
      {'error' in event && <p class="note tone-bad">The body is not an event: {event.error}</p>}
      <BodyCard bodyBase64={entry.bodyBase64} event={'json' in event ? event.json : undefined} />
    </>
  )
}

function titleOf({ state, error }: { readonly state: State; readonly error: string | null }): string {
  if (state === 'dead') return 'Why it is dead'
  const isDeferred = state === 'waiting' && error?.startsWith('RetryAfterError: ')
  return isDeferred ? 'Why it waits' : 'Error of the last attempt'
}

import { BodyCard } from '../parts/body-card.tsx'
import { Exact } from '../parts/clipboard.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { showDialog } from '../parts/dialog.tsx'
import { Facts } from '../parts/facts.tsx'
import { Button } from '../parts/fields.tsx'
import { exactTime } from '../parts/format.ts'
import { Card, Note } from '../parts/frame.tsx'
import { Title, useLoaded } from '../parts/list-detail.tsx'
import { go } from '../parts/route.ts'
import { DeleteDialog, replay } from './dialogs.tsx'
import { callInbox, counts, LOOKS, listing, UNREADABLE } from './inbox-store.ts'

export function EntryDetail({ id }: { id: string }) {
  const entry = useLoaded(() => callInbox('GET', 'entry', { id }), [id, counts.value])
  if (!entry) return <p class="soft">Loading …</p>
  if (entry instanceof Error) return <p class="note tone-bad">{entry.message}</p>
  const { state, subject, concurrencyKey, error, event } = entry
  const isDead = state === 'dead'
  const isDeferred = state === 'waiting' && error?.startsWith('RetryAfterError: ')
  const why = isDead ? 'Why it is dead' : isDeferred ? 'Why it waits' : 'Error of the last attempt'
  const showSubject = () => {
    listing.showAll(subject ?? '')
    go(listing.view)
  }
  return (
    <>
      <Title kind={entry.kind ?? UNREADABLE} look={LOOKS[state]} of={entry}>
        <span>received {exactTime(entry.receivedAt)}</span>
      </Title>
      {state !== 'active' && (
        <div class="actions">
          <Button look="main" work={() => replay([id])} text="Replay" />
          <span class="soft grow">Runs your handlers again now, with all attempts.</span>
          <Button
            look="danger"
            work={() => showDialog(<DeleteDialog id={id} state={state} />)}
            text="Delete …"
          />
        </div>
      )}
      {error && (
        <Note tone={isDead ? 'bad' : 'warn'} title={why}>
          <CodeBlock label="Error" text={error} />
        </Note>
      )}
      <Card title="Handling">
        <Facts
          facts={{
            Subject: subject && (
              <>
                <Exact text={subject} />
                <Button
                  look="plain small"
                  label={`Show all of ${subject}`}
                  work={showSubject}
                  text="Show all"
                />
              </>
            ),
            'Concurrency key': concurrencyKey && <Exact text={concurrencyKey} />,
            Attempts: String(entry.attempts),
            'Active since': entry.startedAt && exactTime(entry.startedAt),
            'Waits for':
              entry.busySince &&
              `another notification of ${concurrencyKey ?? subject}, active since ${exactTime(entry.busySince)}`,
            'Next attempt': entry.dueAt && exactTime(entry.dueAt),
            Finished: entry.finishedAt && exactTime(entry.finishedAt),
            Entry: <Exact text={entry.id} />,
            'Idempotency key': <Exact text={entry.idempotencyKey} />,
            'Client id': <Exact text={entry.clientId} />,
            Signature: <Exact text={entry.signature} copied="signature" />,
          }}
        />
      </Card>
      {'error' in event && <p class="note tone-bad">The body is not an event: {event.error}</p>}
      <BodyCard bodyBase64={entry.bodyBase64} event={'json' in event ? event.json : undefined} />
    </>
  )
}

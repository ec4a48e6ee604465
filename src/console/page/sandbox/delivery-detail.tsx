import type { AttemptJson, DeliveryDetailJson } from '../../../sandbox/control/control-json.ts'
import { BodyCard } from '../parts/body-card.tsx'
import { CopyButton, Exact } from '../parts/clipboard.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { Facts } from '../parts/facts.tsx'
import { Button } from '../parts/fields.tsx'
import { bytes, duration, exactTime } from '../parts/format.ts'
import { Card, Note } from '../parts/frame.tsx'
import { Icon } from '../parts/icons.tsx'
import { Title, useLoaded } from '../parts/list-detail.tsx'
import { hashOf } from '../parts/route.ts'
import { adviseOn } from './advice.ts'
import { control } from './control-api.ts'
import { LOOKS } from './delivery-looks.tsx'
import { deliveryOf, listing } from './delivery-store.ts'
import { copyAsCurl, edit, resend, saveAsFixture } from './resend.tsx'
import { credentials } from './setup-store.ts'
import { signatureCommand } from './shell-commands.ts'
import { openSignature } from './signature-view.tsx'

export function DeliveryDetail({ id }: { id: string }) {
  const latest = deliveryOf(id)
  const loaded = useLoaded(
    () => control('GET deliveries/:id', { id }),
    [id, latest?.state, latest?.attempts.length],
  )
  if (loaded instanceof Error) return <p class="note tone-bad">{loaded.message}</p>
  const delivery = loaded ?? latest
  if (!delivery) return <p class="soft">Loading …</p>
  const { redeliveryOf } = delivery
  const original = deliveryOf(redeliveryOf ?? '')
  return (
    <>
      <Title kind={delivery.kind} look={LOOKS[delivery.state]} of={delivery}>
        <span>{exactTime(delivery.createdAt)}</span>
        <span class="mono">POST {delivery.url}</span>
        {redeliveryOf && (
          <span>
            Resent from{' '}
            <a href={hashOf(listing.view, redeliveryOf)}>
              {original ? exactTime(original.createdAt) : 'an earlier delivery'}
            </a>
          </span>
        )}
      </Title>
      <div class="actions">
        <Button look="main" work={() => resend(id)} text="Resend" />
        <Button work={() => edit(id)} text="Edit and resend …" />
        <Button work={() => copyAsCurl(id)} text="Copy as curl" />
        <Button work={() => saveAsFixture(id)} text="Save as a fixture" />
      </div>
      {loaded ? (
        <>
          <AttemptsCard delivery={loaded} />
          <BodyCard bodyBase64={loaded.bodyBase64} />
          <SignatureCard delivery={loaded} />
        </>
      ) : (
        <p class="soft">Loading …</p>
      )}
    </>
  )
}

function AttemptsCard({ delivery }: { delivery: DeliveryDetailJson }) {
  const { attempts } = delivery
  const advice = adviseOn(delivery)
  return (
    <Card title={attempts.length > 1 ? `${attempts.length} attempts` : 'Attempt'}>
      {advice && (
        <Note tone={delivery.state === 'failed' ? 'bad' : 'warn'} title={advice.title}>
          {advice.text}
        </Note>
      )}
      {attempts.length === 0 && (
        <p class="soft">{delivery.state === 'pending' ? 'On its way …' : 'None was made.'}</p>
      )}
      <ol class="attempts">
        {attempts.map((attempt) => (
          <AttemptRow key={attempt.number} attempt={attempt} />
        ))}
      </ol>
    </Card>
  )
}

function AttemptRow({ attempt }: { attempt: AttemptJson }) {
  const { status = 0, error, responseHeaders = {} } = attempt
  const ok = status >= 200 && status < 300 && error === undefined
  return (
    <li>
      <span class={ok ? 'tone-ok' : 'tone-bad'}>
        <Icon name={ok ? 'check' : 'cross'} />
      </span>
      <span>
        {attempt.number}. at {exactTime(attempt.startedAt)}
      </span>
      <span>{duration(attempt.durationMs)}</span>
      <strong class={ok ? 'tone-ok' : 'tone-bad'}>
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
        {Object.keys(responseHeaders).length > 0 && (
          <details>
            <summary class="soft">Response headers</summary>
            <Facts look="mono" facts={responseHeaders} />
          </details>
        )}
      </div>
    </li>
  )
}

function SignatureCard({ delivery }: { delivery: DeliveryDetailJson }) {
  const { clientId = '' } = credentials.value ?? {}
  const { headers, signature, size } = delivery
  const sent = headers['ACCESS-SIGNATURE']
  const command = signatureCommand(delivery, clientId)
  const check = (
    <Button look="small" work={() => openSignature(delivery, sent ?? '')} text="Check this signature" />
  )
  return (
    <>
      <Card title="Signature" aside={check}>
        {sent !== signature && (
          <p class="note tone-warn">
            {sent === undefined
              ? 'No signature was sent: a fault leaves it out.'
              : 'The signature that was sent is wrong: a fault made it with another client id.'}
          </p>
        )}
        <Facts
          facts={{
            'ACCESS-SIGNATURE': <Exact text={sent ?? 'not sent'} />,
            Correct: sent !== signature && <Exact text={signature} />,
            Algorithm: 'HMAC-SHA-256, as 64 lowercase hexadecimal digits',
            Key: (
              <>
                the client id, <code>{clientId}</code>
              </>
            ),
            Message: `the ${bytes(size)} of the body exactly as they are sent`,
          }}
        />
        <div class="field">
          <div class="actions">
            <h3 class="grow">Compute it yourself</h3>
            <CopyButton text={command} what="openssl command" />
          </div>
          <CodeBlock look="short" label="Command that computes the signature" text={command} />
        </div>
      </Card>
      <Card title="Headers">
        <Facts look="mono" facts={headers} />
      </Card>
    </>
  )
}

import { fromBase64 } from '../parts/bytes.ts'
import { CopyButton } from '../parts/clipboard.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { bytes } from '../parts/format.ts'
import { Card } from '../parts/frame.tsx'
import { go } from '../parts/route.ts'
import { question } from './check-question.ts'
import type { DeliveryDetail } from './control-answers.ts'
import { credentials } from './session.ts'
import { signatureCommand } from './shell.ts'

/** The headers that were sent, the signature, and how it is computed. */
export function SignatureCard({ delivery }: { delivery: DeliveryDetail }) {
  const { clientId = '' } = credentials.value ?? {}
  const sent = Object.entries(delivery.headers).find(
    ([name]) => name.toLowerCase() === 'access-signature',
  )?.[1]
  const command = signatureCommand(delivery, clientId)
  return (
    <>
      <Card
        title="Signature"
        aside={
          <button
            type="button"
            class="small"
            onClick={() => {
              question.value = {
                body: delivery.body,
                bodyBase64: delivery.bodyBase64,
                signature: sent ?? '',
                clientId,
              }
              go('check')
            }}
          >
            Check this signature
          </button>
        }
      >
        <div class="body">
          {sent === undefined && <p class="note tone-warn">No signature was sent: a fault leaves it out.</p>}
          {sent !== undefined && sent !== delivery.signature && (
            <p class="note tone-warn">
              The signature that was sent is wrong: a fault made it with another client id.
            </p>
          )}
          <dl class="facts">
            <dt>ACCESS-SIGNATURE</dt>
            <dd class="mono">{sent ?? 'not sent'}</dd>
            {sent !== delivery.signature && [
              <dt key="right">Correct</dt>,
              <dd key="value" class="mono">
                {delivery.signature}
              </dd>,
            ]}
            <dt>Algorithm</dt>
            <dd>HMAC-SHA-256, as 64 lowercase hexadecimal digits</dd>
            <dt>Key</dt>
            <dd>
              the client id, <code>{clientId}</code>
            </dd>
            <dt>Message</dt>
            <dd>the {bytes(fromBase64(delivery.bodyBase64).length)} of the body exactly as they are sent</dd>
          </dl>
          <div class="field">
            <div class="actions">
              <h3 class="grow">Compute it yourself</h3>
              <CopyButton text={command} what="openssl command" />
            </div>
            <CodeBlock short label="Command that computes the signature">
              {command}
            </CodeBlock>
          </div>
        </div>
      </Card>
      <Card title="Headers">
        <div class="body">
          <dl class="facts mono">
            {Object.entries(delivery.headers).map(([name, value]) => [
              <dt key={name}>{name}</dt>,
              <dd key={`${name}:`}>{value}</dd>,
            ])}
          </dl>
        </div>
      </Card>
    </>
  )
}

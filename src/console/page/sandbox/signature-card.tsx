import type { DeliveryDetailJson } from '../../../sandbox/control/control-json.ts'
import { CopyButton } from '../parts/clipboard.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { Button } from '../parts/fields.tsx'
import { bytes } from '../parts/format.ts'
import { Card, Facts } from '../parts/frame.tsx'
import { credentials } from './setup-store.ts'
import { signatureCommand } from './shell-commands.ts'
import { openSignature } from './signature-view.tsx'

export function SignatureCard({ delivery }: { delivery: DeliveryDetailJson }) {
  const { clientId = '' } = credentials.value ?? {}
  const headers = Object.entries(delivery.headers)
  const sent = headers.find(([name]) => name.toLowerCase() === 'access-signature')?.[1]
  const command = signatureCommand(delivery, clientId)
  return (
    <>
      <Card
        title="Signature"
        aside={
          <Button look="small" work={() => openSignature(delivery, sent ?? '')}>
            Check this signature
          </Button>
        }
      >
        {sent === undefined && <p class="note tone-warn">No signature was sent: a fault leaves it out.</p>}
        {sent !== undefined && sent !== delivery.signature && (
          <p class="note tone-warn">
            The signature that was sent is wrong: a fault made it with another client id.
          </p>
        )}
        <Facts
          facts={[
            ['ACCESS-SIGNATURE', <span class="mono">{sent ?? 'not sent'}</span>],
            sent !== delivery.signature && ['Correct', <span class="mono">{delivery.signature}</span>],
            ['Algorithm', 'HMAC-SHA-256, as 64 lowercase hexadecimal digits'],
            [
              'Key',
              <>
                the client id, <code>{clientId}</code>
              </>,
            ],
            ['Message', `the ${bytes(delivery.size)} of the body exactly as they are sent`],
          ]}
        />
        <div class="field">
          <div class="actions">
            <h3 class="grow">Compute it yourself</h3>
            <CopyButton text={command} what="openssl command" />
          </div>
          <CodeBlock short label="Command that computes the signature" text={command} />
        </div>
      </Card>
      <Card title="Headers">
        <Facts mono facts={headers} />
      </Card>
    </>
  )
}

import type { DeliverySummaryJson } from '../../../sandbox/control/control-json.ts'
import { BodyCard } from '../parts/body-card.tsx'
import { Button } from '../parts/fields.tsx'
import { exactTime } from '../parts/format.ts'
import { Title, useLoaded } from '../parts/list-detail.tsx'
import { AttemptsCard } from './attempts-card.tsx'
import { control } from './control-api.ts'
import { LOOKS } from './delivery-looks.tsx'
import { deliveryOf } from './delivery-store.ts'
import { copyAsCurl, edit, resend, saveAsFixture } from './resend.ts'
import { SignatureCard } from './signature-card.tsx'

export function DeliveryDetail({ delivery }: { delivery: DeliverySummaryJson }) {
  const { id, state, attempts, redeliveryOf } = delivery
  const original = deliveryOf(redeliveryOf ?? '')
  const loaded = useLoaded(() => control('GET deliveries/:id', { id }), [id, state, attempts.length])
  const detail = loaded instanceof Error ? undefined : loaded
  return (
    <>
      <Title kind={delivery.kind} look={LOOKS[state]}>
        <span>{exactTime(delivery.createdAt)}</span>
        <span class="mono wrap">POST {delivery.url}</span>
        {redeliveryOf && (
          <span>
            Resent from{' '}
            <a href={`#/deliveries/${redeliveryOf}`}>
              {original ? exactTime(original.createdAt) : 'a delivery that is no longer listed'}
            </a>
          </span>
        )}
      </Title>
      <div class="actions">
        <Button look="main" work={() => resend(id)}>
          Resend
        </Button>
        <Button work={() => edit(id)}>Edit and resend …</Button>
        <Button work={() => copyAsCurl(id)}>Copy as curl</Button>
        <Button work={() => saveAsFixture(id)}>Save as a fixture</Button>
      </div>
      <AttemptsCard delivery={detail?.attempts.length === attempts.length ? detail : delivery} />
      {loaded instanceof Error && <p class="note tone-bad">{loaded.message}</p>}
      {detail && <BodyCard bodyBase64={detail.bodyBase64} />}
      {detail && <SignatureCard delivery={detail} />}
    </>
  )
}

import type { DeliverySummaryJson } from '../../../sandbox/control/control-json.ts'
import { BodyCard } from '../parts/body-card.tsx'
import { Button } from '../parts/fields.tsx'
import { exactTime, kindLabel, shortTime } from '../parts/format.ts'
import { Chip } from '../parts/icons.tsx'
import { useLoaded } from '../parts/list-detail.tsx'
import { AttemptsCard } from './attempts-card.tsx'
import { control } from './control-api.ts'
import { LOOKS } from './delivery-looks.tsx'
import { deliveryOf, repeatsOf } from './delivery-store.ts'
import { copyAsCurl, edit, resend } from './resend.ts'
import { SignatureCard } from './signature-card.tsx'

/** One delivery: its outcome, what was sent, and actions. */
export function DeliveryDetail({ delivery }: { delivery: DeliverySummaryJson }) {
  const { id, state, attempts } = delivery
  const loaded = useLoaded(() => control.delivery(id), [id, state, attempts.length])
  const detail = typeof loaded === 'object' ? loaded : undefined
  return (
    <>
      <div class="title">
        <h1 id="detail-title" tabIndex={-1}>
          {delivery.kind}
        </h1>
        <div class="meta">
          <Chip {...LOOKS[state]} />
          <span>{kindLabel(delivery.kind)}</span>
          <span>{exactTime(delivery.createdAt)}</span>
          <span class="mono wrap">POST {delivery.url}</span>
        </div>
        <Relations delivery={delivery} />
      </div>
      <div class="actions">
        <Button look="main" work={() => resend(id)}>
          Resend
        </Button>
        <Button work={() => edit(id)}>Edit and resend …</Button>
        <Button work={() => copyAsCurl(id)}>Copy as curl</Button>
      </div>
      <AttemptsCard delivery={detail?.attempts.length === attempts.length ? detail : delivery} />
      {detail && <BodyCard bodyBase64={detail.bodyBase64} />}
      {detail && <SignatureCard delivery={detail} />}
    </>
  )
}

function Relations({ delivery }: { delivery: DeliverySummaryJson }) {
  const original = delivery.redeliveryOf
  const repeats = repeatsOf(delivery.id)
  if (!original && repeats.length === 0) return null
  const link = (id: string) => {
    const one = deliveryOf(id)
    return (
      <a key={id} href={`#/deliveries/${id}`}>
        {one ? `${LOOKS[one.state].label} at ${shortTime(one.createdAt)}` : 'no longer listed'}
      </a>
    )
  }
  return (
    <div class="meta">
      {original && <span>Resent from {link(original)}</span>}
      {repeats.length > 0 && <span>Resent as</span>}
      {repeats.slice(-5).map(({ id }) => link(id))}
    </div>
  )
}

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { BodyCard } from '../parts/body-card.tsx'
import { exactTime, kindLabel, shortTime } from '../parts/format.ts'
import { Chip, Icon } from '../parts/icons.tsx'
import { attempt, run } from '../parts/notice.tsx'
import { go } from '../parts/route.ts'
import { AttemptsCard } from './attempts-card.tsx'
import type { DeliverySummary, DeliveryDetail as Detail } from './control-answers.ts'
import { control } from './control-api.ts'
import { LOOKS } from './delivery-looks.ts'
import { deliveryOf, repeatsOf } from './delivery-store.ts'
import { copyAsCurl, edit, resend } from './resend.ts'
import { SignatureCard } from './signature-card.tsx'

/** One delivery: its outcome, what was sent, and actions. */
export function DeliveryDetail({ delivery }: { delivery: DeliverySummary }) {
  const detail = useSignal<Detail | undefined>(undefined)
  const { id, state, attempts } = delivery
  useEffect(() => {
    let current = true
    void attempt(async () => {
      const loaded = await control.delivery(id)
      if (current) detail.value = loaded
    })
    return () => {
      current = false
    }
  }, [id, state, attempts.length])

  const { label, tone, icon } = LOOKS[state]
  return (
    <article class="detail">
      <button type="button" class="back" onClick={() => go('deliveries')}>
        <Icon name="back" /> Back to the list
      </button>
      <div class="title">
        <h1 id="detail-title" tabIndex={-1}>
          {delivery.kind}
        </h1>
        <div class="meta">
          <Chip tone={tone} icon={icon}>
            {label}
          </Chip>
          <span>{kindLabel(delivery.kind)}</span>
          <span>{exactTime(delivery.createdAt)}</span>
          <span class="mono wrap">POST {delivery.url}</span>
        </div>
        <Relations delivery={delivery} />
      </div>
      <div class="actions">
        <button type="button" class="main" onClick={run(() => resend(id))}>
          Resend
        </button>
        <button type="button" onClick={run(() => edit(id))}>
          Edit and resend …
        </button>
        <button type="button" onClick={run(() => copyAsCurl(id))}>
          Copy as curl
        </button>
      </div>
      <AttemptsCard delivery={detail.value?.attempts.length === attempts.length ? detail.value : delivery} />
      {detail.value && <BodyCard bodyBase64={detail.value.bodyBase64} />}
      {detail.value && <SignatureCard delivery={detail.value} />}
    </article>
  )
}

function Relations({ delivery }: { delivery: DeliverySummary }) {
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

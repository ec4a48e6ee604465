import type { DeliverySummaryJson } from '../../../sandbox/control/control-json.ts'
import { kindLabel, subjectLine } from '../parts/format.ts'
import { Chip, type StateLook } from '../parts/icons.tsx'
import { hashOf } from '../parts/route.ts'
import { deliveryOf, listing } from './delivery-store.ts'

export const LOOKS: Readonly<Record<DeliverySummaryJson['state'], StateLook>> = {
  pending: { label: 'Pending', tone: 'warn', icon: 'clock' },
  delivered: { label: 'Delivered', tone: 'ok', icon: 'check' },
  failed: { label: 'Failed', tone: 'bad', icon: 'cross' },
  dropped: { label: 'Dropped', tone: 'soft', icon: 'minus' },
  cancelled: { label: 'Cancelled', tone: 'soft', icon: 'minus' },
}

/** The outcome in a few words: "200", "401, 2 attempts". */
export function outcome({ state, attempts }: DeliverySummaryJson): string {
  const last = attempts.at(-1)
  if (!last) return LOOKS[state].label
  const status = last.duplicate ? `${last.status}, duplicate` : last.status
  const response = status === undefined ? shortError(last.error) : String(status)
  return attempts.length > 1 ? `${response}, ${attempts.length} attempts` : response
}

function shortError(error = 'no response'): string {
  return /\bE[A-Z_]{4,}\b/.exec(error)?.[0] ?? (error.startsWith('no complete') ? 'timed out' : 'no response')
}

/** Deliveries in a line each, as far as they are known. */
export function DeliveryLines({ ids }: { ids: readonly string[] }) {
  const deliveries = ids.flatMap((id) => deliveryOf(id) ?? [])
  return deliveries.map((delivery) => (
    <div key={delivery.id} class="actions">
      <Chip {...LOOKS[delivery.state]} />
      <span class="grow">
        <a href={hashOf(listing.view, delivery.id)}>{kindLabel(delivery.kind)}</a>{' '}
        <span class="soft">
          {delivery.highlights.status} {subjectLine(delivery)}
        </span>
      </span>
      <span class="soft">{outcome(delivery)}</span>
    </div>
  ))
}

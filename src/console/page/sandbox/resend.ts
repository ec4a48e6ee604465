import { signal } from '@preact/signals'
import { copy } from '../parts/clipboard.tsx'
import { notify } from '../parts/notice.tsx'
import { go } from '../parts/route.ts'
import type { DeliveryDetail, DeliverySummary } from './control-answers.ts'
import { control } from './control-api.ts'
import { take } from './delivery-store.ts'
import { deliveryCurl } from './shell.ts'

/** The delivery that is being edited. */
export const editing = signal<DeliveryDetail | undefined>(undefined)

/** Sends a delivery again, and opens the new one. */
export async function resend(id: string, edited?: { body: string }): Promise<void> {
  const { deliveries } = await control.redeliver(id, edited)
  open(deliveries)
}

export async function edit(id: string): Promise<void> {
  editing.value = await control.delivery(id)
}

export async function copyAsCurl(id: string): Promise<void> {
  await copy(deliveryCurl(await control.delivery(id)), 'curl command')
}

/** Opens the first of some new deliveries. */
export function open(deliveries: readonly DeliverySummary[]): void {
  take(deliveries)
  const [first] = deliveries
  if (first) go('deliveries', first.id)
  else notify('Nobody is registered for this kind: nothing was sent')
}

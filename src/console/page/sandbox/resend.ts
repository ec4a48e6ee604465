import { signal } from '@preact/signals'
import type { DeliveryDetailJson } from '../../../sandbox/control/control-json.ts'
import { copy } from '../parts/clipboard.tsx'
import { go } from '../parts/route.ts'
import { control } from './control-api.ts'
import { take } from './delivery-store.ts'
import { deliveryCurl } from './shell-commands.ts'

export const editing = signal<DeliveryDetailJson | undefined>(undefined)

export async function resend(id: string, edited?: { body: string }): Promise<void> {
  const { deliveries } = await control.redeliver(id, edited)
  take(deliveries)
  const [first] = deliveries
  if (first) go('deliveries', first.id)
}

export async function edit(id: string): Promise<void> {
  editing.value = await control.delivery(id)
}

export async function copyAsCurl(id: string): Promise<void> {
  await copy(deliveryCurl(await control.delivery(id)), 'curl command')
}

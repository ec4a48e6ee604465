import { signal } from '@preact/signals'
import type { DeliveryDetailJson } from '../../../sandbox/control/control-json.ts'
import { toCurl } from '../../../testing/curl.ts'
import { decodeUtf8, fromBase64 } from '../parts/bytes.ts'
import { copy } from '../parts/clipboard.tsx'
import { notify } from '../parts/notice.tsx'
import { go } from '../parts/route.ts'
import { control, WITHOUT_WAITING } from './control-api.ts'
import { take } from './delivery-store.ts'

const MAX_NAME = 80

export const editing = signal<DeliveryDetailJson | undefined>(undefined)

export async function resend(id: string, edited?: { body: string }): Promise<void> {
  const { deliveries } = await control('POST deliveries/:id/redeliver', {
    id,
    query: WITHOUT_WAITING,
    body: JSON.stringify(edited ?? {}),
  })
  take(deliveries)
  const [first] = deliveries
  if (first) go('deliveries', first.id)
}

export async function edit(id: string): Promise<void> {
  editing.value = await control('GET deliveries/:id', { id })
}

/** Saves the exact bytes of a delivery in a file that tests and `payhook send` can use. */
export async function saveAsFixture(id: string): Promise<void> {
  const { kind, highlights, bodyBase64 } = await control('GET deliveries/:id', { id })
  const words = [kind, highlights.id, highlights.status].join(' ').match(/\w+/g) ?? []
  const name = `${words.join('-').toLowerCase().slice(0, MAX_NAME)}.json`
  const url = URL.createObjectURL(new Blob([fromBase64(bodyBase64)]))
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  URL.revokeObjectURL(url)
  notify(`Saved: payhook send ${name} --url … sends it`)
}

export async function copyAsCurl(id: string): Promise<void> {
  const delivery = await control('GET deliveries/:id', { id })
  const text = decodeUtf8(fromBase64(delivery.bodyBase64))
  await copy(toCurl({ ...delivery, text }), 'curl command')
}

import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { DeliveryDetailJson } from '../../../sandbox/control/control-json.ts'
import { toCurl } from '../../../testing/curl.ts'
import { formatData } from '../../../testing/format-body.ts'
import { decodeUtf8, fromBase64 } from '../parts/bytes.ts'
import { copy } from '../parts/clipboard.tsx'
import { Dialog, showDialog } from '../parts/dialog.tsx'
import { set, Tabs } from '../parts/fields.tsx'
import { JsonEditor } from '../parts/json-editor.tsx'
import { notify } from '../parts/notice.tsx'
import { go } from '../parts/route.ts'
import { control, WITHOUT_WAITING } from './control-api.ts'

const MAX_NAME = 80

const read = (id: string) => control('GET deliveries/:id', { id })

export async function resend(id: string, edited = '{}'): Promise<void> {
  const call = { id, query: WITHOUT_WAITING, body: edited }
  const [first] = (await control('POST deliveries/:id/redeliver', call)).deliveries
  if (first) go('deliveries', first.id)
}

let chosen: string | undefined

export async function edit(id: string): Promise<void> {
  chosen = id
  const delivery = await read(id)
  // Responses may come in another order.
  if (chosen === id) showDialog(<EditDialog key={id} delivery={delivery} />)
}

function EditDialog({ delivery: { id, body } }: { delivery: DeliveryDetailJson }) {
  const found = useMemo(() => formatData(body), [body])
  const mode = useSignal<'data' | 'body'>(found === undefined ? 'body' : 'data')
  const data = useSignal(found ?? '')
  const whole = useSignal(body)
  const isData = mode.value === 'data'
  const text = isData ? data : whole
  // As text, so that no digit is lost.
  const send = () => resend(id, isData ? `{"data":${data.value}}` : JSON.stringify({ body: whole.value }))
  return (
    <Dialog wide title="Edit and resend" action="Send" work={send}>
      {found !== undefined && (
        <Tabs label="What to edit" selected={mode} options={{ data: 'Data', body: 'Exact body' }} />
      )}
      <JsonEditor
        key={mode.value}
        plain={!isData}
        label={isData ? 'Data of the event' : 'Body, sent exactly as shown here'}
        value={text.value}
        onChange={(changed) => set(text, changed)}
      />
      <p class="soft">
        The copy gets a new signature and a link to the original.
        {isData &&
          ' Data is sent in the form that the service gives it; to send another one, edit the exact body.'}
      </p>
    </Dialog>
  )
}

/** Saves the exact bytes of a delivery in a file that tests and `payhook send` can use. */
export async function saveAsFixture(id: string): Promise<void> {
  const { kind, highlights, bodyBase64 } = await read(id)
  const words = [kind, highlights.id, highlights.status].join(' ').match(/\w+/g) ?? []
  const name = `${words.join('-').toLowerCase().slice(0, MAX_NAME)}.json`
  const url = URL.createObjectURL(new Blob([fromBase64(bodyBase64)]))
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  URL.revokeObjectURL(url)
  notify(`Saved: payhook send ${name} --url … sends it`)
}

export async function copyAsCurl(id: string): Promise<void> {
  const delivery = await read(id)
  const text = decodeUtf8(fromBase64(delivery.bodyBase64))
  await copy(toCurl({ ...delivery, text }), 'curl command')
}

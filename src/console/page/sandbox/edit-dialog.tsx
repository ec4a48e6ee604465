import { useSignal } from '@preact/signals'
import type { DeliveryDetailJson } from '../../../sandbox/control/control-json.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Button, set, Tabs } from '../parts/fields.tsx'
import { findMistakes, formatJson, openData } from '../parts/json.ts'
import { JsonEditor } from '../parts/json-editor.tsx'
import { editing, resend } from './resend.ts'

export function EditDialog() {
  return editing.value ? <Editor key={editing.value.id} delivery={editing.value} /> : null
}

function Editor({ delivery }: { delivery: DeliveryDetailJson }) {
  const { body } = delivery
  const found = openData(body)
  const mode = useSignal<'data' | 'body'>(found ? 'data' : 'body')
  const data = useSignal(found ? formatJson(found.text) : '')
  const whole = useSignal(body)
  const isData = mode.value === 'data'
  const isWrong = isData && findMistakes(data.value).length > 0
  const close = () => set(editing, undefined)
  const submit = async () => {
    await resend(delivery.id, { body: isData && found ? found.replace(data.value) : whole.value })
    close()
  }
  return (
    <Dialog
      wide
      title="Edit and resend"
      onClose={close}
      actions={
        <Button look="main" disabled={isWrong} work={submit}>
          Send
        </Button>
      }
    >
      {found && <Tabs label="What to edit" selected={mode} options={{ data: 'Data', body: 'Exact body' }} />}
      <JsonEditor
        key={mode.value}
        plain={!isData}
        label={isData ? 'Data of the event' : 'Body, sent exactly as shown here'}
        value={isData ? data.value : whole.value}
        onChange={(text) => set(isData ? data : whole, text)}
      />
      <p class="soft">The copy gets a new signature and a link to the original.</p>
    </Dialog>
  )
}

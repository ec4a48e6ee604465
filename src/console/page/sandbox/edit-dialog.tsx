import { useSignal } from '@preact/signals'
import { Dialog } from '../parts/dialog.tsx'
import { Tabs } from '../parts/frame.tsx'
import { JsonEditor } from '../parts/json-editor.tsx'
import { findDataNode, findMistakes, formatJson } from '../parts/json-text.tsx'
import { run } from '../parts/notice.tsx'
import type { DeliveryDetail } from './control-answers.ts'
import { editing, resend } from './resend.ts'

/** Edits what a delivery sent, and sends it. */
export function EditDialog() {
  return editing.value ? <Editor key={editing.value.id} delivery={editing.value} /> : null
}

function Editor({ delivery }: { delivery: DeliveryDetail }) {
  const { body } = delivery
  const place = findData(body)
  const mode = useSignal<'data' | 'body'>(place ? 'data' : 'body')
  const data = useSignal(place ? formatJson(place.text) : '')
  const whole = useSignal(body)
  const isData = mode.value === 'data'
  const isWrong = isData && findMistakes(data.value).length > 0
  const close = () => {
    editing.value = undefined
  }
  const submit = async () => {
    if (isWrong) return
    const edited = isData && place ? place.replace(data.value) : whole.value
    await resend(delivery.id, { body: edited })
    close()
  }
  return (
    <Dialog wide title="Edit and resend" onClose={close}>
      {place && (
        <Tabs
          label="What to edit"
          value={mode.value}
          options={[
            ['data', 'Data'],
            ['body', 'Exact body'],
          ]}
          onChange={(value) => {
            mode.value = value
          }}
        />
      )}
      {isData ? (
        <JsonEditor
          label="Data of the event"
          value={data.value}
          onChange={(text) => {
            data.value = text
          }}
        />
      ) : (
        <JsonEditor
          plain
          label="Body, sent exactly as shown here"
          value={whole.value}
          onChange={(text) => {
            whole.value = text
          }}
        />
      )}
      <p class="soft">The copy gets a new signature and a link to the original.</p>
      <div class="actions">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="button" class="main" aria-disabled={isWrong} onClick={run(submit)}>
          Send
        </button>
      </div>
    </Dialog>
  )
}

/** Finds the data of a notification, and how to replace it. Stringified data stays stringified. */
function findData(body: string): { text: string; replace: (data: string) => string } | undefined {
  const node = findDataNode(body)
  if (!node || findMistakes(body).length > 0) return undefined
  const [start, end] = [node.offset, node.offset + node.length]
  const around = (data: string) => body.slice(0, start) + data + body.slice(end)
  if (node.type !== 'string')
    return { text: body.slice(start, end), replace: (data) => around(compact(data)) }
  const text = node.value as string
  if (findMistakes(text).length > 0) return undefined
  return { text, replace: (data) => around(JSON.stringify(compact(data))) }
}

/** JSON without the white space between its tokens. */
function compact(json: string): string {
  return json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1')
}

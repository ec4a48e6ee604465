import { computed, signal } from '@preact/signals'
import { Button, Checkbox, Form, set } from '../parts/fields.tsx'
import { Card, Columns } from '../parts/frame.tsx'
import { Chip } from '../parts/icons.tsx'
import { JsonEditor } from '../parts/json-editor.tsx'
import { notify } from '../parts/notice.tsx'
import { control } from './control-api.ts'
import { activeFaults, faults } from './setup-store.ts'

type Faults = Readonly<Record<string, unknown>>

/** Common faults. The editor supports all of them. */
const PRESETS: Readonly<Record<string, readonly [explanation: string, faults: Faults]>> = {
  Duplicates: ['Every notification comes twice.', { duplicate: 1 }],
  'Out of order': ['Every two consecutive notifications are swapped.', { reorder: true }],
  Late: ['Every notification waits for 3 seconds.', { delayMs: 3_000 }],
  'Wrong signature': ['As a forger sends it. Expect 401.', { signature: 'wrong' }],
  'No signature': ['As if a proxy had dropped the header. Expect 401.', { signature: 'missing' }],
  'Cut off': ['Half of the body, then the connection is cut.', { truncate: true }],
  'Cut the first attempt': ['The second attempt arrives whole.', { attempts: [{ truncate: true }] }],
  Lost: ['Nothing is sent.', { drop: true }],
  'API: too many requests': ['Clients get 429 with Retry-After.', { api: { status: 429 } }],
  'API: unavailable': ['Clients get 503.', { api: { status: 503 } }],
  'API: response lost': ['The work is done, then the connection is cut.', { api: { loseResponse: true } }],
  Burst: ['100 different notifications instead of one.', { burst: 100 }],
}

const draft = signal<string | undefined>(undefined)
const text = computed(() => draft.value ?? JSON.stringify(faults.value, null, 2))

async function apply(wanted: string): Promise<void> {
  faults.value = await control('PUT faults', { body: wanted })
  draft.value = undefined
  notify(activeFaults.value.length === 0 ? 'All faults are off' : `On: ${activeFaults.value.join(', ')}`)
}

export const clearFaults = () => apply('{}')

export function FaultsView() {
  return (
    <Columns
      main={
        <Card
          title="Common faults"
          aside={
            activeFaults.value.length > 0 ? (
              <Button work={clearFaults} text="Switch all off" />
            ) : (
              <Chip tone="ok" icon="check" label="None is on" />
            )
          }
        >
          <ul class="grid">
            {Object.entries(PRESETS).map(([title, [explanation, wanted]]) => (
              <Preset key={title} title={title} explanation={explanation} faults={wanted} />
            ))}
          </ul>
        </Card>
      }
      side={
        <Card title="All faults">
          <p class="soft">
            Faults can be combined, count (<code>times</code>), differ by attempt (<code>attempts</code>), and
            concern the API (<code>api</code>). docs/sandbox.md lists them.
          </p>
          <Form look="field" work={() => apply(text.value)}>
            <JsonEditor label="Faults" value={text.value} onChange={(changed) => set(draft, changed)} />
            <div class="actions">
              <Button look="main" text="Apply" />
            </div>
          </Form>
        </Card>
      }
    />
  )
}

function Preset(props: { title: string; explanation: string; faults: Faults }) {
  const on: Faults = { ...faults.value }
  const names = Object.keys(props.faults)
  const isOn = names.every((name) => JSON.stringify(on[name]) === JSON.stringify(props.faults[name]))
  const toggle = async () => {
    const others = Object.fromEntries(Object.entries(on).filter(([name]) => !names.includes(name)))
    // At once, so that the next click adds to it.
    faults.value = isOn ? others : { ...others, ...props.faults }
    await apply(JSON.stringify(faults.value)).catch((error) => {
      faults.value = on
      throw error
    })
  }
  return (
    <li>
      <Checkbox checked={isOn} work={toggle}>
        <strong>{props.title}</strong>
      </Checkbox>
      <p class="soft">{props.explanation}</p>
    </li>
  )
}

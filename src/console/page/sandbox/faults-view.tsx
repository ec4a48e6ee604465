import { computed, signal } from '@preact/signals'
import { Button, set } from '../parts/fields.tsx'
import { Card, Columns } from '../parts/frame.tsx'
import { Chip } from '../parts/icons.tsx'
import { findMistakes } from '../parts/json.ts'
import { JsonEditor } from '../parts/json-editor.tsx'
import { attempt, notify } from '../parts/notice.tsx'
import { control } from './control-api.ts'
import { activeFaults, faults } from './session.ts'

type Faults = Readonly<Record<string, unknown>>

/** Common faults. The editor supports all of them. */
const PRESETS: readonly { title: string; text: string; faults: Faults }[] = [
  { title: 'Duplicates', text: 'Every notification comes twice.', faults: { duplicate: 1 } },
  {
    title: 'Out of order',
    text: 'Every two consecutive notifications are swapped.',
    faults: { reorder: true },
  },
  { title: 'Late', text: 'Every notification waits for 3 seconds.', faults: { delayMs: 3_000 } },
  { title: 'Wrong signature', text: 'As a forger sends it. Expect 401.', faults: { signature: 'wrong' } },
  {
    title: 'No signature',
    text: 'As if a proxy had dropped the header. Expect 401.',
    faults: { signature: 'missing' },
  },
  { title: 'Cut off', text: 'Half of the body, then the connection is cut.', faults: { truncate: true } },
  {
    title: 'Cut the first attempt',
    text: 'The second attempt arrives whole.',
    faults: { attempts: [{ truncate: true }] },
  },
  { title: 'Lost', text: 'Nothing is sent.', faults: { drop: true } },
  {
    title: 'API: too many requests',
    text: 'Clients get 429 with Retry-After.',
    faults: { api: { status: 429 } },
  },
  { title: 'API: unavailable', text: 'Clients get 503.', faults: { api: { status: 503 } } },
  {
    title: 'API: response lost',
    text: 'The work is done, then the connection is cut.',
    faults: { api: { loseResponse: true } },
  },
  { title: 'Burst', text: '100 different notifications instead of one.', faults: { burst: 100 } },
]

const draft = signal<string | undefined>(undefined)
const text = computed(() => draft.value ?? JSON.stringify(faults.value, null, 2))
const isWrong = computed(() => findMistakes(text.value).length > 0)

async function apply(wanted: string): Promise<void> {
  faults.value = await control.setFaults(wanted)
  draft.value = undefined
  notify(activeFaults.value.length === 0 ? 'All faults are off' : `On: ${activeFaults.value.join(', ')}`)
}

export const clearFaults = () => apply('{}')

/** Switches faults on and off. */
export function FaultsView() {
  return (
    <Columns
      main={
        <Card
          title="Common faults"
          aside={
            activeFaults.value.length > 0 ? (
              <Button work={clearFaults}>Switch all off</Button>
            ) : (
              <Chip tone="ok" icon="check" label="None is on" />
            )
          }
        >
          <ul class="grid">
            {PRESETS.map((preset) => (
              <Preset key={preset.title} {...preset} />
            ))}
          </ul>
        </Card>
      }
      side={
        <Card title="All faults">
          <p class="soft">
            Faults can be combined, count (<code>times</code>), follow each other (<code>sequence</code>),
            differ by attempt (<code>attempts</code>), and concern the API (<code>api</code>). docs/sandbox.md
            lists them.
          </p>
          <JsonEditor label="Faults" value={text.value} onChange={(changed) => set(draft, changed)} />
          <div class="actions">
            <Button look="main" disabled={isWrong.value} work={() => apply(text.value)}>
              Apply
            </Button>
          </div>
        </Card>
      }
    />
  )
}

function Preset({ title, text: explanation, faults: wanted }: (typeof PRESETS)[number]) {
  const on: Faults = { ...faults.value }
  const names = Object.keys(wanted)
  const isOn = names.every((name) => JSON.stringify(on[name]) === JSON.stringify(wanted[name]))
  const toggle = async () => {
    const others = Object.entries(on).filter(([name]) => !names.includes(name))
    await apply(JSON.stringify({ ...Object.fromEntries(others), ...(isOn ? {} : wanted) }))
  }
  return (
    <li>
      <label class="check">
        <input type="checkbox" checked={isOn} onChange={() => void attempt(toggle)} />
        <strong>{title}</strong>
      </label>
      <p class="soft">{explanation}</p>
    </li>
  )
}

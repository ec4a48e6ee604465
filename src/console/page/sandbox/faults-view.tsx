import { computed, signal } from '@preact/signals'
import { Card } from '../parts/frame.tsx'
import { Chip } from '../parts/icons.tsx'
import { JsonEditor } from '../parts/json-editor.tsx'
import { findMistakes } from '../parts/json-text.tsx'
import { notify, run } from '../parts/notice.tsx'
import { control } from './control-api.ts'
import { faults } from './session.ts'

type Faults = Readonly<Record<string, unknown>>

/** Common faults. The editor supports all of them. */
const PRESETS: readonly { title: string; text: string; faults: Faults }[] = [
  { title: 'Duplicates', text: 'Every notification comes twice.', faults: { duplicate: 1 } },
  { title: 'Out of order', text: 'Each two neighbours change places.', faults: { reorder: true } },
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
    title: 'API: answer lost',
    text: 'The work is done, then the connection is cut.',
    faults: { api: { loseAnswer: true } },
  },
  { title: 'Burst', text: '100 different notifications in place of one.', faults: { burst: 100 } },
]

const draft = signal<string | undefined>(undefined)
const text = computed(() => draft.value ?? JSON.stringify(faults.value, null, 2))

/** The faults that are on, by name. */
export const activeFaults = computed(() => Object.keys(faults.value))

async function apply(wanted: string): Promise<void> {
  faults.value = await control.setFaults(wanted)
  draft.value = undefined
  notify(activeFaults.value.length === 0 ? 'All faults are off' : `On: ${activeFaults.value.join(', ')}`)
}

export const clearFaults = () => apply('{}')

/** Switches faults on and off. */
export function FaultsView() {
  return (
    <main class="page-pane">
      <div class="forms two">
        <Card
          title="What goes wrong"
          aside={
            activeFaults.value.length > 0 ? (
              <button type="button" onClick={run(clearFaults)}>
                Switch all off
              </button>
            ) : (
              <Chip tone="ok" icon="check">
                None is on
              </Chip>
            )
          }
        >
          <div class="body">
            <ul class="grid">
              {PRESETS.map((preset) => (
                <Preset key={preset.title} {...preset} />
              ))}
            </ul>
          </div>
        </Card>
        <Card title="All faults, exactly">
          <div class="body">
            <p class="soft">
              Faults can be combined, count (<code>times</code>), follow each other (<code>sequence</code>),
              differ by attempt (<code>attempts</code>), and concern the API (<code>api</code>).
              docs/sandbox.md lists them.
            </p>
            <JsonEditor
              label="Faults"
              value={text.value}
              onChange={(changed) => {
                draft.value = changed
              }}
            />
            <div class="actions">
              <button
                type="button"
                class="main"
                aria-disabled={findMistakes(text.value).length > 0}
                onClick={run(() => (findMistakes(text.value).length > 0 ? undefined : apply(text.value)))}
              >
                Apply
              </button>
            </div>
          </div>
        </Card>
      </div>
    </main>
  )
}

function Preset({ title, text: explanation, faults: wanted }: (typeof PRESETS)[number]) {
  const names = Object.keys(wanted)
  const isOn = names.every((name) => JSON.stringify(faults.value[name]) === JSON.stringify(wanted[name]))
  const toggle = async () => {
    const others = Object.entries(faults.value).filter(([name]) => !names.includes(name))
    await apply(JSON.stringify({ ...Object.fromEntries(others), ...(isOn ? {} : wanted) }))
  }
  return (
    <li>
      <label class="check">
        <input type="checkbox" checked={isOn} onChange={run(toggle)} />
        <strong>{title}</strong>
      </label>
      <p class="soft">{explanation}</p>
    </li>
  )
}

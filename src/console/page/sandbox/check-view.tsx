import { computed, signal } from '@preact/signals'
import { EVENT_KINDS } from '../../../events/kinds.ts'
import type { CheckJson } from '../../../sandbox/control/control-json.ts'
import { Button, bind, Checkbox, Field, Form, kindOptions, Select, set } from '../parts/fields.tsx'
import { counted } from '../parts/format.ts'
import { Card, Note } from '../parts/frame.tsx'
import { Icon, type StateLook } from '../parts/icons.tsx'
import { ClientIdField, usedClientId } from './client-id-field.tsx'
import { control, WITHOUT_WAITING } from './control-api.ts'
import { active } from './setup-store.ts'

type Result = CheckJson['results'][number]

const POLL_MS = 150

const url = signal('')
const kind = signal('')
const allowRemote = signal(false)
const check = signal<CheckJson | undefined>(undefined)
const usedUrl = computed(() => url.value || (active.value[0]?.callbackUrl ?? ''))

export function CheckView() {
  const current = check.value
  const isRunning = current?.state === 'running'
  return (
    <main class="page-pane">
      <Form look="forms" work={start}>
        <p class="lead">
          Checks a receiver in any language: sends it what the service sends, and forgeries, and compares the
          responses. It handles what is correctly signed, so do not check one that moves money.
        </p>
        <Card title="Check my receiver">
          <Field label="URL of the receiver">
            <input
              class="mono"
              type="url"
              required
              placeholder="http://127.0.0.1:3000/webhooks"
              {...bind(url)}
              value={usedUrl.value}
            />
          </Field>
          <div class="grid">
            <ClientIdField />
            <Field label="Kinds that it gets">
              <Select {...bind(kind)} options={{ '': 'All kinds', ...kindOptions(EVENT_KINDS) }} />
            </Field>
          </div>
          <Checkbox checked={allowRemote.value} work={(checked) => set(allowRemote, checked)}>
            Allow a URL on another machine
          </Checkbox>
          <div class="actions">
            <Button look="main" disabled={isRunning}>
              {isRunning ? 'Checking …' : 'Check the receiver'}
            </Button>
            {isRunning && <Button work={() => control('DELETE checks/:id', { id: current.id })}>Stop</Button>}
            {isRunning && <progress aria-label="Cases" value={current.results.length} max={current.total} />}
          </div>
        </Card>
        {current && <Findings check={current} />}
        {current && <Cases check={current} />}
      </Form>
    </main>
  )
}

async function start(): Promise<void> {
  if (check.value?.state === 'running') return
  // Otherwise it would change with what is registered.
  url.value = usedUrl.value
  const options = {
    url: url.value,
    clientId: usedClientId.value,
    allowRemote: allowRemote.value,
    ...(kind.value !== '' && { kinds: [kind.value] }),
  }
  let current = await control('POST checks', { query: WITHOUT_WAITING, body: JSON.stringify(options) })
  check.value = current
  try {
    while (current.state === 'running') {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      current = await control('GET checks/:id', { id: current.id })
      check.value = current
    }
  } catch (error) {
    // The sandbox has restarted, or ended.
    check.value = { ...current, state: 'stopped' }
    throw error
  }
}

const outcomes = ({ results }: CheckJson, outcome: Result['outcome']) =>
  results.filter((result) => result.outcome === outcome)

function Findings({ check }: { check: CheckJson }) {
  const { state, total, results, conclusions = [], stopped } = check
  // A must before a should.
  const failed = outcomes(check, 'failed').toSorted((one, other) => one.level.localeCompare(other.level))
  const counts = `${outcomes(check, 'passed').length} of ${counted(total, 'case')} passed`
  return (
    <Card title={state === 'running' ? `${results.length} of ${counted(total, 'case')}` : counts} isStatus>
      {state === 'stopped' && <p class="soft">Stopped.</p>}
      {state === 'done' && failed.length === 0 && (
        <Note tone="ok" title="Nothing was found">
          The status of a response does not show everything: see the notes at the cases.
        </Note>
      )}
      {conclusions.map((conclusion) => (
        <Note key={conclusion} tone="bad" title={conclusion}>
          {stopped && <span>The other cases were skipped: {stopped}.</span>}
        </Note>
      ))}
      {conclusions.length === 0 &&
        failed.map((result) => (
          <Note
            key={result.id}
            tone={result.level === 'must' ? 'bad' : 'warn'}
            title={`${result.title}: expected ${result.expected}, got ${result.observed}`}
          >
            {result.cause && <span>{result.cause}</span>}
            <span>{result.why}</span>
            <span>{result.mend}</span>
            <code class="soft">
              {result.id}, {result.level}
            </code>
          </Note>
        ))}
    </Card>
  )
}

function Cases({ check }: { check: CheckJson }) {
  const ran = check.results.filter(({ observed }) => observed !== check.stopped)
  return (
    <Card title="Cases">
      <ol class="attempts">
        {ran.map((result) => (
          <li key={result.id}>
            <span class={`tone-${lookOf(result).tone}`}>
              <Icon name={lookOf(result).icon} />
            </span>
            <span class="wrap">{result.id}</span>
            <span class="soft">{result.level}</span>
            <strong class={`wrap tone-${lookOf(result).tone}`}>{result.observed}</strong>
            <div class="response">
              <span class="soft">{result.title}</span>
              {result.unseen && <span class="soft">The response does not show {result.unseen}</span>}
            </div>
          </li>
        ))}
      </ol>
    </Card>
  )
}

function lookOf({ outcome, level }: Result): Pick<StateLook, 'tone' | 'icon'> {
  if (outcome === 'passed') return { tone: 'ok', icon: 'check' }
  if (outcome === 'skipped') return { tone: 'soft', icon: 'minus' }
  return { tone: level === 'must' ? 'bad' : 'warn', icon: 'cross' }
}

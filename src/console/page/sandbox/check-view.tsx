import { signal } from '@preact/signals'
import { EVENT_KINDS } from '../../../events/kinds.ts'
import type { CheckJson } from '../../../sandbox/control/control-json.ts'
import {
  Button,
  Checkbox,
  EXACT,
  Form,
  InputField,
  kindOptions,
  SelectField,
  type Values,
} from '../parts/fields.tsx'
import { counted } from '../parts/format.ts'
import { Card, Note } from '../parts/frame.tsx'
import { Icon, type StateLook } from '../parts/icons.tsx'
import { stored } from '../parts/stored.ts'
import { control, WITHOUT_WAITING } from './control-api.ts'
import { active, credentials } from './setup-store.ts'

type Result = CheckJson['results'][number]

const POLL_MS = 150

const lastUrl = stored('checked-url', '')
const check = signal<CheckJson | undefined>(undefined)

export function CheckView() {
  const current = check.value
  const isRunning = current?.state === 'running'
  return (
    <main class="page-pane">
      <Form look="forms" work={start}>
        <p class="soft">
          Checks a receiver in any language: sends it what the service sends, and forgeries, and compares the
          responses. It handles what is correctly signed, so do not check one that moves money.
        </p>
        <Card title="Check my receiver">
          <InputField
            label="URL of the receiver"
            name="url"
            type="url"
            required
            placeholder="http://127.0.0.1:3000/webhooks"
            defaultValue={lastUrl.value || active.value[0]?.callbackUrl}
            {...EXACT}
          />
          <div class="grid">
            <InputField
              label="Client id that your receiver verifies with"
              name="clientId"
              defaultValue={credentials.value?.clientId}
              {...EXACT}
            />
            <SelectField label="Kinds that it gets" name="kind" options={kindOptions(EVENT_KINDS)} />
          </div>
          <Checkbox name="allowRemote">Allow a URL on another machine</Checkbox>
          <div class="actions">
            <Button look="main" disabled={isRunning} text={isRunning ? 'Checking …' : 'Check the receiver'} />
            {isRunning && (
              <Button work={() => control('DELETE checks/:id', { id: current.id })} text="Stop" />
            )}
            {isRunning && <progress aria-label="Cases" value={current.results.length} max={current.total} />}
          </div>
        </Card>
        {current && <Findings check={current} />}
      </Form>
    </main>
  )
}

async function start({ url = '', clientId, kind, allowRemote }: Values): Promise<void> {
  lastUrl.value = url
  const json = { url, clientId, kinds: kind ? [kind] : undefined, allowRemote: allowRemote !== undefined }
  let current = await control('POST checks', { query: WITHOUT_WAITING, json })
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

function Findings({ check: { state, total, results, conclusions = [], stopped } }: { check: CheckJson }) {
  const ran = results.filter(({ observed }) => observed !== stopped)
  const passed = ran.filter(({ outcome }) => outcome === 'passed')
  const hasFailed = ran.some(({ outcome }) => outcome === 'failed')
  const isRunning = state === 'running'
  return (
    <Card
      title={`${isRunning ? ran.length : passed.length} of ${counted(total, 'case')}${isRunning ? '' : ' passed'}`}
      isStatus
    >
      {state === 'stopped' && <p class="soft">Stopped.</p>}
      {state === 'done' && !hasFailed && (
        <Note tone="ok" title="Nothing was found">
          The status of a response does not show everything: see the notes at the cases.
        </Note>
      )}
      {conclusions.map((conclusion) => (
        <Note key={conclusion} tone="bad" title={conclusion}>
          {stopped && <span>The other cases were skipped: {stopped}.</span>}
        </Note>
      ))}
      <ol class="attempts">
        {ran
          .toSorted((one, other) => rank(one) - rank(other))
          .map((result) => (
            <Case key={result.id} result={result} isExplained={conclusions.length === 0} />
          ))}
      </ol>
    </Card>
  )
}

/** Failed cases first, and of them a must before a should. */
function rank({ outcome, level }: Result): number {
  return outcome === 'failed' ? (level === 'must' ? 0 : 1) : 2
}

function Case({ result, isExplained }: { result: Result; isExplained: boolean }) {
  const { id, level, outcome, title, expected, observed, cause, why, mend, unseen } = result
  const { tone, icon } = lookOf(result)
  return (
    <li>
      <span class={`tone-${tone}`}>
        <Icon name={icon} />
      </span>
      <span>{id}</span>
      <span class="soft">{level}</span>
      <strong class={`tone-${tone}`}>{observed}</strong>
      <div class="response">
        <span class="soft">{title}</span>
        {outcome === 'failed' && isExplained && (
          <Note tone={tone} title={`Expected ${expected}, got ${observed}`}>
            {cause && <span>{cause}</span>}
            <span>{why}</span>
            <span>{mend}</span>
          </Note>
        )}
        {unseen && <span class="soft">The response does not show {unseen}</span>}
      </div>
    </li>
  )
}

function lookOf({ outcome, level }: Result): Pick<StateLook, 'tone' | 'icon'> {
  if (outcome === 'passed') return { tone: 'ok', icon: 'check' }
  if (outcome === 'skipped') return { tone: 'soft', icon: 'minus' }
  return { tone: level === 'must' ? 'bad' : 'warn', icon: 'cross' }
}

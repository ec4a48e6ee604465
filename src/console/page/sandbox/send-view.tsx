import { computed, signal } from '@preact/signals'
import { EVENT_KINDS } from '../../../events/kinds.ts'
import { formatJson } from '../../../testing/format-body.ts'
import { idField, sampleData, toWireJson } from '../../../testing/sample-data.ts'
import { Button, EXACT, Form, InputField, kindOptions, SelectField, Tabs } from '../parts/fields.tsx'
import { Card, Columns } from '../parts/frame.tsx'
import { JsonEditor } from '../parts/json-editor.tsx'
import { stored } from '../parts/stored.ts'
import { control, WITHOUT_WAITING } from './control-api.ts'
import { DeliveryLines } from './delivery-looks.tsx'

const { '': _all, ...KINDS } = kindOptions(EVENT_KINDS)
/** A kind that payhook does not know. */
const OTHER = 'SOMETHING_NEW'
const MAX_LISTED = 20

const mode = signal<'string' | 'inline' | 'raw'>('string')
const kind = stored('kind', String(EVENT_KINDS[0]))
const choice = computed(() => (Object.hasOwn(KINDS, kind.value) ? kind.value : OTHER))
const isRaw = computed(() => mode.value === 'raw')
/** What was edited, by what it is edited for. */
const edits = stored<Readonly<Record<string, string | undefined>>>('edits', {})
const edited = computed(() => `${isRaw.value} ${choice.value}`)
const text = computed(() => edits.value[edited.value] ?? sample())
/** Ids of the last deliveries sent; `undefined` before the first. */
const sent = signal<readonly string[] | undefined>(undefined)

/** A valid body; or data, to which the sandbox adds an id, the two sides and what the status needs. */
function sample(): string {
  const whole = sampleData(kind.value)
  if (isRaw.value) return JSON.stringify({ type: kind.value, data: toWireJson(kind.value, whole) })
  const added = [idField(kind.value), 'payerAccountId', 'payeeAccountId', 'debitTxn', 'creditTxn']
  const data = Object.fromEntries(Object.entries(whole).filter(([name]) => !added.includes(name)))
  return formatJson(toWireJson(kind.value, data))
}

function choose(wanted: string): void {
  sent.value = undefined
  kind.value = wanted
}

function edit(changed: string | undefined): void {
  edits.value = { ...edits.value, [edited.value]: changed }
}

async function send(): Promise<void> {
  const content = isRaw.value
    ? `"body":${JSON.stringify(text.value)}`
    : `"data":${text.value},"inline":${mode.value === 'inline'}`
  // As text, so that no digit is lost.
  const body = `{"kind":${JSON.stringify(kind.value)},${content}}`
  const { deliveries } = await control('POST trigger', { query: WITHOUT_WAITING, body })
  sent.value = deliveries.map(({ id }) => id)
}

export function SendView() {
  return (
    <Columns
      main={
        <Form look="column" work={send}>
          <Card title="Send a notification">
            <div class="grid">
              <SelectField
                label="Kind"
                value={choice.value}
                onInput={({ currentTarget }) => choose(currentTarget.value)}
                options={{ ...KINDS, [OTHER]: 'Another kind …' }}
              />
              <InputField
                label="On the wire"
                {...EXACT}
                required
                value={kind.value}
                onInput={({ currentTarget }) => choose(currentTarget.value)}
              />
            </div>
            <Tabs
              label="How data is sent"
              selected={mode}
              options={{ string: 'data as a string', inline: 'data as an object', raw: 'Exact text' }}
            />
            <JsonEditor
              plain={isRaw.value}
              label={isRaw.value ? 'Body, sent exactly as shown here' : 'Data of the event'}
              value={text.value}
              onChange={edit}
            />
            <div class="actions">
              <Button look="main" text="Send" />
              <span class="soft grow">Ctrl Enter</span>
              <Button look="plain" work={() => edit(undefined)} text="Restore the sample" />
            </div>
            <p class="soft">
              {isRaw.value
                ? 'The signature is made over exactly these characters, as UTF-8. Another name on the wire does not change what you have written.'
                : 'Without an "id", each notification but that of an account is about something new. With one that was sent before, your receiver sees a duplicate.'}
            </p>
          </Card>
        </Form>
      }
      side={
        <Card title="Sent" isStatus>
          {!sent.value && <p class="soft">The deliveries of your notification are listed here.</p>}
          {sent.value?.length === 0 && (
            <p>
              Nothing was sent: no URL is registered for this kind.{' '}
              <a href="#/setup">Register that of your receiver.</a>
            </p>
          )}
          <DeliveryLines ids={sent.value?.slice(0, MAX_LISTED) ?? []} />
        </Card>
      }
    />
  )
}

import { computed, signal } from '@preact/signals'
import { EVENT_KINDS } from '../../../events/kinds.ts'
import { Button, bind, Field, Form, kindOptions, Select, Tabs } from '../parts/fields.tsx'
import { Card, Columns } from '../parts/frame.tsx'
import { findMistakes } from '../parts/json.ts'
import { JsonEditor } from '../parts/json-editor.tsx'
import { showErrors } from '../parts/notice.tsx'
import { go, route } from '../parts/route.ts'
import { control, WITHOUT_WAITING } from './control-api.ts'
import { DeliveryLine } from './delivery-looks.tsx'
import { deliveryOf, take } from './delivery-store.ts'
import { RegisterForm } from './register-form.tsx'
import { remember, remembered, samplePayload } from './samples.ts'
import { active, configurations, credentials } from './setup-store.ts'

/** A kind that payhook does not know. */
const OTHER = 'other'
const otherKind = signal(remembered('other-kind') ?? 'SOMETHING_NEW')
const mode = signal<'string' | 'inline' | 'raw'>('string')
const edits = signal<Readonly<Record<string, string>>>({})
/** Ids of the last deliveries sent; `undefined` before the first. */
const sent = signal<readonly string[] | undefined>(undefined)

const choice = computed(() => (route.value.view === 'send' && route.value.id) || (EVENT_KINDS[0] as string))
const kind = computed(() => (choice.value === OTHER ? otherKind.value : choice.value))
const storageKey = computed(() => `${mode.value === 'raw' ? 'raw' : 'data'}:${choice.value}`)
const text = computed(() => edits.value[storageKey.value] ?? remembered(storageKey.value) ?? sample())
const isSendable = computed(() => mode.value === 'raw' || findMistakes(text.value).length === 0)

function sample(): string {
  const data = samplePayload(choice.value, credentials.value?.accountId ?? '710021')
  if (mode.value !== 'raw') return data
  return JSON.stringify({ type: kind.value, data: JSON.stringify(JSON.parse(data)) })
}

function edit(changed: string | undefined): void {
  remember(storageKey.value, changed)
  const { [storageKey.value]: _before, ...others } = edits.value
  edits.value = changed === undefined ? others : { ...others, [storageKey.value]: changed }
}

async function send(): Promise<void> {
  if (!isSendable.value) return
  const content =
    mode.value === 'raw'
      ? `"body":${JSON.stringify(text.value)}`
      : `"data":${text.value},"inline":${mode.value === 'inline'}`
  remember('other-kind', otherKind.value)
  const { deliveries } = await control('POST trigger', {
    query: WITHOUT_WAITING,
    body: `{"kind":${JSON.stringify(kind.value)},${content}}`,
  })
  take(deliveries)
  sent.value = deliveries.map(({ id }) => id)
}

export function SendView() {
  const isRaw = mode.value === 'raw'
  return (
    <Columns
      main={
        <Form look="column" work={send}>
          <Card title="Send a notification">
            <KindFields />
            <Tabs
              label="How data is sent"
              selected={mode}
              options={{ string: 'data as a string', inline: 'data as an object', raw: 'Exact text' }}
            />
            {/* biome-ignore lint/a11y/noStaticElementInteractions: a shortcut of the text area within. */}
            <div
              onKeyDown={(event) => {
                if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void showErrors(send)
              }}
            >
              <JsonEditor
                plain={isRaw}
                label={isRaw ? 'Body, sent exactly as shown here' : 'Data of the event'}
                value={text.value}
                onChange={edit}
              />
            </div>
            <div class="actions">
              <Button look="main" disabled={!isSendable.value}>
                Send
              </Button>
              <span class="soft grow">
                <kbd>Ctrl</kbd> <kbd>Enter</kbd>
              </span>
              <Button look="plain" work={() => edit(undefined)}>
                Restore the sample
              </Button>
            </div>
            <Hint />
          </Card>
        </Form>
      }
      side={<Result />}
    />
  )
}

function KindFields() {
  return (
    <div class="grid">
      <Field label="Kind">
        <Select
          id="kind"
          value={choice.value}
          onInput={(event) => {
            sent.value = undefined
            go('send', event.currentTarget.value)
          }}
          options={{ ...kindOptions(EVENT_KINDS), [OTHER]: 'Another kind …' }}
        />
      </Field>
      {choice.value === OTHER ? (
        <Field label="Its name">
          <input class="mono" {...bind(otherKind)} />
        </Field>
      ) : (
        <div class="field">
          <span>On the wire</span>
          <code class="wrap">{kind.value}</code>
        </div>
      )}
    </div>
  )
}

function Hint() {
  if (mode.value === 'raw')
    return <p class="soft">The signature is made over exactly these characters, as UTF-8.</p>
  if (/"(?:id|cardId)"\s*:/.test(text.value.slice(0, 200)) || choice.value === OTHER) return null
  return (
    <p class="soft">
      Without an <code>id</code>, each notification is about something new. Add one to send the same again,
      and your receiver sees a duplicate.
    </p>
  )
}

function Result() {
  const receivers = active.value.filter(({ event }) => event === kind.value)
  const deliveries = (sent.value ?? []).flatMap((id) => deliveryOf(id) ?? [])
  return (
    <>
      {sent.value !== undefined && (
        <Card title="Sent" isStatus>
          {sent.value.length === 0 && <p>Nothing was sent: no URL is registered for this kind.</p>}
          {deliveries.slice(0, 20).map((delivery) => (
            <DeliveryLine key={delivery.id} delivery={delivery} />
          ))}
        </Card>
      )}
      <Card title="Goes to">
        {receivers.map(({ id, callbackUrl }) => (
          <code key={id} class="wrap">
            {callbackUrl}
          </code>
        ))}
        {receivers.length === 0 && configurations.value && (
          <>
            <p class="soft">No URL is registered for this kind. Register that of your receiver:</p>
            <RegisterForm kinds={[kind.value]} />
          </>
        )}
      </Card>
    </>
  )
}

import { computed, signal } from '@preact/signals'
import { EVENT_KINDS } from '../../../events/kinds.ts'
import { kindLabel, shortTime } from '../parts/format.ts'
import { Card, Tabs } from '../parts/frame.tsx'
import { Chip } from '../parts/icons.tsx'
import { JsonEditor } from '../parts/json-editor.tsx'
import { findMistakes } from '../parts/json-text.tsx'
import { run } from '../parts/notice.tsx'
import { go, route } from '../parts/route.ts'
import { control } from './control-api.ts'
import { LOOKS, outcome } from './delivery-looks.ts'
import { deliveryOf, take } from './delivery-store.ts'
import { RegisterForm } from './register-form.tsx'
import { remember, remembered, samplePayload } from './samples.ts'
import { configurations, credentials } from './session.ts'

type Mode = 'string' | 'inline' | 'raw'

/** A kind that payhook does not know. */
const OTHER = 'other'
const otherKind = signal(remembered('other-kind') ?? 'SOMETHING_NEW')
const mode = signal<Mode>('string')
const edits = signal<Readonly<Record<string, string>>>({})
/** Ids of the last deliveries sent; `undefined` before the first. */
const sent = signal<readonly string[] | undefined>(undefined)

const choice = computed(() => (route.value.view === 'send' && route.value.id) || (EVENT_KINDS[0] as string))
const kind = computed(() => (choice.value === OTHER ? otherKind.value : choice.value))
const place = computed(() => `${mode.value === 'raw' ? 'raw' : 'data'}:${choice.value}`)
const text = computed(() => edits.value[place.value] ?? remembered(place.value) ?? sample())

function sample(): string {
  const data = samplePayload(choice.value, credentials.value?.accountId ?? '710021')
  if (mode.value !== 'raw') return data
  return JSON.stringify({ type: kind.value, data: JSON.stringify(JSON.parse(data)) })
}

function edit(changed: string | undefined): void {
  remember(place.value, changed)
  const { [place.value]: _before, ...others } = edits.value
  edits.value = changed === undefined ? others : { ...others, [place.value]: changed }
}

export function isSendable(): boolean {
  return mode.value === 'raw' || findMistakes(text.value).length === 0
}

/** Sends the text of the editor. */
export async function sendNow(): Promise<void> {
  if (!isSendable()) return
  const content =
    mode.value === 'raw'
      ? `"body":${JSON.stringify(text.value)}`
      : `"data":${text.value},"inline":${mode.value === 'inline'}`
  const { deliveries } = await control.trigger(kind.value, content)
  take(deliveries)
  sent.value = deliveries.map(({ id }) => id)
}

/** A payload for each kind, to edit and to send. */
export function SendView() {
  return (
    <main class="page-pane">
      <div class="forms two">
        <form
          class="column"
          onSubmit={(event) => {
            event.preventDefault()
            run(sendNow)()
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run(sendNow)()
          }}
        >
          <Card title="Send a notification">
            <div class="body">
              <KindFields />
              <Tabs<Mode>
                label="How data is sent"
                value={mode.value}
                options={[
                  ['string', 'data as a string'],
                  ['inline', 'data as an object'],
                  ['raw', 'Exact text'],
                ]}
                onChange={(value) => {
                  mode.value = value
                }}
              />
              <JsonEditor
                plain={mode.value === 'raw'}
                label={mode.value === 'raw' ? 'Body, sent exactly as shown here' : 'Data of the event'}
                value={text.value}
                onChange={edit}
              />
              <div class="actions">
                <button type="submit" class="main" aria-disabled={!isSendable()}>
                  Send
                </button>
                <span class="soft grow">
                  <kbd>Ctrl</kbd> <kbd>Enter</kbd>
                </span>
                <button type="button" class="plain" onClick={() => edit(undefined)}>
                  Restore the sample
                </button>
              </div>
              <Hint />
            </div>
          </Card>
        </form>
        <div class="column">
          <Result />
        </div>
      </div>
    </main>
  )
}

function KindFields() {
  return (
    <div class="grid">
      <label class="field">
        <span>Kind</span>
        <select
          id="kind"
          value={choice.value}
          onChange={(event) => {
            sent.value = undefined
            go('send', event.currentTarget.value)
          }}
        >
          {EVENT_KINDS.map((one) => (
            <option key={one} value={one}>
              {kindLabel(one)}
            </option>
          ))}
          <option value={OTHER}>Another kind …</option>
        </select>
      </label>
      {choice.value === OTHER ? (
        <label class="field">
          <span>Its name</span>
          <input
            class="mono"
            value={otherKind.value}
            onInput={(event) => {
              otherKind.value = event.currentTarget.value
              remember('other-kind', otherKind.value)
            }}
          />
        </label>
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
  const receivers = (configurations.value ?? []).filter(
    ({ event, status }) => event === kind.value && status === 'Active',
  )
  const deliveries = (sent.value ?? []).map((id) => deliveryOf(id))
  return (
    <>
      {sent.value !== undefined && (
        <Card title="Sent">
          <div class="body" role="status">
            {deliveries.length === 0 && <p>Nothing was sent: nobody is registered for this kind.</p>}
            {deliveries.slice(0, 20).map(
              (delivery) =>
                delivery && (
                  <div key={delivery.id} class="actions">
                    <Chip tone={LOOKS[delivery.state].tone} icon={LOOKS[delivery.state].icon}>
                      {LOOKS[delivery.state].label}
                    </Chip>
                    <a class="grow" href={`#/deliveries/${delivery.id}`}>
                      {outcome(delivery)}
                    </a>
                    <span class="soft">{shortTime(delivery.createdAt)}</span>
                  </div>
                ),
            )}
          </div>
        </Card>
      )}
      <Card title="Goes to">
        <div class="body">
          {receivers.map(({ id, callbackUrl }) => (
            <code key={id} class="wrap">
              {callbackUrl}
            </code>
          ))}
          {receivers.length === 0 && configurations.value && (
            <>
              <p class="soft">Nobody is registered for this kind. Register the URL of your receiver:</p>
              <RegisterForm event={kind.value} />
            </>
          )}
        </div>
      </Card>
    </>
  )
}

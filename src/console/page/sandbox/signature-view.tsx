import { computed, signal } from '@preact/signals'
import type { DeliveryDetailJson } from '../../../sandbox/control/control-json.ts'
import type { SignatureExplanation } from '../../../testing/explain-signature.ts'
import { Button, bind, EXACT, Form, InputField, set } from '../parts/fields.tsx'
import { Card, Note } from '../parts/frame.tsx'
import { JsonEditor } from '../parts/json-editor.tsx'
import { go } from '../parts/route.ts'
import { control } from './control-api.ts'
import { credentials } from './setup-store.ts'

/** With the exact bytes, until the text of the body is edited. */
const given = signal<{ readonly body: string; readonly bodyBase64?: string }>({ body: '' })
const signature = signal('')
/** `undefined` until it is edited. */
const ownClientId = signal<string | undefined>(undefined)
const clientId = computed(() => ownClientId.value ?? credentials.value?.clientId ?? '')
/** What the fields ask now, and what the verdict is about. */
const question = computed(() => {
  const { body, bodyBase64 } = given.value
  const bytes = bodyBase64 === undefined ? { body } : { bodyBase64 }
  return { ...bytes, signature: signature.value, clientId: clientId.value }
})
const verdict = signal<(SignatureExplanation & { readonly on: object }) | undefined>(undefined)

export function openSignature({ body, bodyBase64 }: DeliveryDetailJson, sent: string): void {
  given.value = { body, bodyBase64 }
  signature.value = sent
  ownClientId.value = undefined
  go('signature')
}

async function check(): Promise<void> {
  const on = question.value
  verdict.value = { on, ...(await control('POST check-signature', { json: on })) }
}

export function SignatureView() {
  const found = verdict.value?.on === question.value ? verdict.value : undefined
  return (
    <main class="page-pane">
      <Form look="forms" work={check}>
        <p class="soft">
          Paste what your receiver got. The checker tries the usual mistakes: a newline at the end, rewritten
          JSON, uppercase digits, Base64, another client id, bytes that were decoded and encoded again.
        </p>
        <Card title="Check a signature">
          <JsonEditor
            plain
            label="Body, exactly as it arrived"
            value={given.value.body}
            onChange={(body) => set(given, { body })}
          />
          <InputField label="Value of the ACCESS-SIGNATURE header" {...EXACT} {...bind(signature)} />
          <InputField
            label="Client id that your receiver verifies with"
            value={clientId.value}
            onInput={({ currentTarget }) => set(ownClientId, currentTarget.value)}
            {...EXACT}
          />
          <div class="actions">
            <Button look="main" text="Check" />
          </div>
          <div role="status">
            {found && (
              <Note
                tone={found.valid ? 'ok' : 'bad'}
                title={found.valid ? 'The signature is valid' : 'The signature does not verify'}
              >
                {found.valid ? (
                  'It was made over exactly these bytes, with this client id.'
                ) : (
                  <>
                    <span>{found.message}</span>
                    <code class="soft">{found.cause}</code>
                  </>
                )}
              </Note>
            )}
          </div>
        </Card>
      </Form>
    </main>
  )
}

import { computed, signal } from '@preact/signals'
import type { DeliveryDetailJson, SignatureCheckJson } from '../../../sandbox/control/control-json.ts'
import { Button, bind, Field, Form } from '../parts/fields.tsx'
import { Card, Note } from '../parts/frame.tsx'
import { JsonEditor } from '../parts/json-editor.tsx'
import { go } from '../parts/route.ts'
import { ClientIdField, usedClientId } from './client-id-field.tsx'
import { control } from './control-api.ts'

const body = signal('')
/** The exact bytes, until the text of the body is edited. */
const bodyBase64 = signal<string | undefined>(undefined)
const signature = signal('')
const question = computed(() => ({
  ...(bodyBase64.value === undefined ? { body: body.value } : { bodyBase64: bodyBase64.value }),
  signature: signature.value,
  clientId: usedClientId.value,
}))
const checked = signal<{ of: object; verdict: SignatureCheckJson } | undefined>(undefined)

export function openSignature(delivery: DeliveryDetailJson, sent: string): void {
  body.value = delivery.body
  bodyBase64.value = delivery.bodyBase64
  signature.value = sent
  go('signature')
}

export function SignatureView() {
  const verdict = checked.value?.of === question.value ? checked.value.verdict : undefined
  const check = async () => {
    const of = question.value
    checked.value = { of, verdict: await control('POST check-signature', { body: JSON.stringify(of) }) }
  }
  return (
    <main class="page-pane">
      <Form look="forms" work={check}>
        <p class="lead">
          Paste what your receiver got. The checker tries the usual mistakes: a newline at the end, rewritten
          JSON, uppercase digits, Base64, another client id, bytes that were decoded and encoded again.
        </p>
        <Card title="Check a signature">
          <JsonEditor
            plain
            label="Body, exactly as it arrived"
            value={body.value}
            onChange={(text) => {
              body.value = text
              bodyBase64.value = undefined
            }}
          />
          <Field label="Value of the ACCESS-SIGNATURE header">
            <input class="mono" spellcheck={false} autocomplete="off" {...bind(signature)} />
          </Field>
          <ClientIdField />
          <div class="actions">
            <Button look="main">Check</Button>
          </div>
          <div role="status">
            {verdict?.valid && (
              <Note tone="ok" title="The signature is valid">
                It was made over exactly these bytes, with this client id.
              </Note>
            )}
            {verdict?.valid === false && (
              <Note tone="bad" title="The signature does not verify">
                <span>{verdict.message}</span>
                <code class="soft">{verdict.cause}</code>
              </Note>
            )}
          </div>
        </Card>
      </Form>
    </main>
  )
}

import { signal } from '@preact/signals'
import { Card } from '../parts/frame.tsx'
import { JsonEditor } from '../parts/json-editor.tsx'
import { run } from '../parts/notice.tsx'
import { question } from './check-question.ts'
import type { Verdict } from './control-answers.ts'
import { control } from './control-api.ts'
import { credentials } from './session.ts'

const verdict = signal<{ readonly of: object; readonly answer: Verdict } | undefined>(undefined)

/** Says why a signature does not verify. */
export function CheckView() {
  const asked = question.value
  const clientId = asked.clientId || (credentials.value?.clientId ?? '')
  const answer = verdict.value?.of === asked ? verdict.value.answer : undefined
  const check = async () => {
    const { body, bodyBase64, signature } = asked
    verdict.value = {
      of: asked,
      answer: await control.checkSignature({
        signature,
        clientId,
        ...(bodyBase64 ? { bodyBase64 } : { body }),
      }),
    }
  }
  return (
    <main class="page-pane">
      <form
        class="forms"
        onSubmit={(event) => {
          event.preventDefault()
          run(check)()
        }}
      >
        <p class="lead">
          Paste what your receiver got. The checker tries the usual mistakes: a newline at the end, rewritten
          JSON, uppercase digits, Base64, another client id, bytes that were decoded and encoded again.
        </p>
        <Card title="Check a signature">
          <div class="body">
            <JsonEditor
              plain
              label="Body, exactly as it arrived"
              value={asked.body}
              onChange={(body) => {
                question.value = { ...asked, body, bodyBase64: undefined }
              }}
            />
            <label class="field">
              <span>Value of the ACCESS-SIGNATURE header</span>
              <input
                class="mono"
                value={asked.signature}
                spellcheck={false}
                autocomplete="off"
                onInput={(event) => {
                  question.value = { ...asked, signature: event.currentTarget.value }
                }}
              />
            </label>
            <label class="field">
              <span>Client id that your receiver verifies with</span>
              <input
                class="mono"
                value={clientId}
                spellcheck={false}
                autocomplete="off"
                onInput={(event) => {
                  question.value = { ...asked, clientId: event.currentTarget.value }
                }}
              />
            </label>
            <div class="actions">
              <button type="submit" class="main">
                Check
              </button>
            </div>
            <div role="status">
              {answer && (
                <div class={`note tone-${answer.valid ? 'ok' : 'bad'}`}>
                  <strong>{answer.valid ? 'The signature is valid' : 'The signature does not verify'}</strong>
                  <span>
                    {answer.valid
                      ? 'It was made over exactly these bytes, with this client id.'
                      : answer.message}
                  </span>
                  {!answer.valid && <code class="soft">{answer.cause}</code>}
                </div>
              )}
            </div>
          </div>
        </Card>
      </form>
    </main>
  )
}

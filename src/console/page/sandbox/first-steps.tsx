import { signal } from '@preact/signals'
import { EVENT_KINDS } from '../../../events/kinds.ts'
import { CopyButton } from '../parts/clipboard.tsx'
import { Button, bind, Form } from '../parts/fields.tsx'
import { go } from '../parts/route.ts'
import { active, credentials, register } from './session.ts'

const url = signal('http://localhost:3000/webhooks')

/** What to do while nothing has been sent yet. */
export function FirstSteps() {
  const [first, ...others] = active.value
  const { clientId = '', accountId = '' } = credentials.value ?? {}
  return (
    <div class="empty">
      <h2>Nothing has been sent yet</h2>
      <ol>
        <li>
          <div>
            Start your receiver. It verifies with the client id <code>{clientId}</code>
            <CopyButton text={clientId} what="client id" />
          </div>
        </li>
        <li>
          {first ? (
            <div>
              Registered: <code class="wrap">{first.callbackUrl}</code>
              {others.length > 0 && ` and ${others.length} more`}. <a href="#/setup">Change it</a>
            </div>
          ) : (
            <Form look="field" work={() => register(url.value, EVENT_KINDS, accountId, false)}>
              <label for="first-url">Register its URL for all kinds</label>
              <div class="actions">
                <input id="first-url" class="grow" type="url" required {...bind(url)} />
                <Button>Register</Button>
              </div>
            </Form>
          )}
        </li>
        <li>
          <div>
            <Button look={first ? 'main' : ''} work={() => go('send')}>
              Send a notification
            </Button>
          </div>
        </li>
      </ol>
    </div>
  )
}

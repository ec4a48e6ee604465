import { EVENT_KINDS } from '../../../events/kinds.ts'
import { CopyButton } from '../parts/clipboard.tsx'
import { Button } from '../parts/fields.tsx'
import { go } from '../parts/route.ts'
import { RegisterForm } from './register-form.tsx'
import { active, credentials } from './session.ts'

/** What to do while nothing has been sent yet. */
export function FirstSteps() {
  const [first, ...others] = active.value
  const { clientId = '' } = credentials.value ?? {}
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
            <RegisterForm label="Register its URL for all kinds" kinds={EVENT_KINDS} />
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

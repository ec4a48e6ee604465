import { signal } from '@preact/signals'
import { EVENT_KINDS } from '../../../events/kinds.ts'
import { CopyButton } from '../parts/clipboard.tsx'
import { run } from '../parts/notice.tsx'
import { go } from '../parts/route.ts'
import { control } from './control-api.ts'
import { configurations, credentials, loadConfigurations } from './session.ts'

const url = signal('http://localhost:3000/webhooks')

/** What to do while nothing has been sent yet. */
export function FirstSteps() {
  const active = (configurations.value ?? []).filter(({ status }) => status === 'Active')
  const { clientId = '', accountId = '' } = credentials.value ?? {}
  const registerAll = async () => {
    for (const event of EVENT_KINDS) await control.register(event, url.value, accountId)
    await loadConfigurations()
  }
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
          {active.length > 0 ? (
            <div>
              Registered: <code class="wrap">{active[0]?.callbackUrl}</code>
              {active.length > 1 && ` and ${active.length - 1} more`}. <a href="#/setup">Change it</a>
            </div>
          ) : (
            <form
              class="field"
              onSubmit={(event) => {
                event.preventDefault()
                run(registerAll)()
              }}
            >
              <label for="first-url">Register its URL for all kinds</label>
              <div class="actions">
                <input
                  id="first-url"
                  class="grow"
                  type="url"
                  required
                  value={url.value}
                  onInput={(event) => {
                    url.value = event.currentTarget.value
                  }}
                />
                <button type="submit">Register</button>
              </div>
            </form>
          )}
        </li>
        <li>
          <div>
            <button type="button" class={active.length > 0 ? 'main' : ''} onClick={() => go('send')}>
              Send a notification
            </button>
          </div>
        </li>
      </ol>
    </div>
  )
}

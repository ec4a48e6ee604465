import { useSignal } from '@preact/signals'
import { EVENT_KINDS } from '../../../events/kinds.ts'
import { kindLabel } from '../parts/format.ts'
import { run } from '../parts/notice.tsx'
import { control } from './control-api.ts'
import { remember, remembered } from './samples.ts'
import { credentials, loadConfigurations } from './session.ts'

/** Registers a URL for a kind, or for one to choose. */
export function RegisterForm({ event }: { event?: string }) {
  const kind = useSignal('')
  const url = useSignal(remembered('url') ?? 'http://localhost:3000/webhooks')
  const account = useSignal('')
  const { accountId = '', users = [] } = credentials.value ?? {}
  const wanted = event ?? kind.value
  const register = async () => {
    for (const one of wanted ? [wanted] : EVENT_KINDS)
      await control.register(one, url.value, account.value || accountId)
    remember('url', url.value)
    await loadConfigurations()
  }
  return (
    <form
      class="grid"
      onSubmit={(submitted) => {
        submitted.preventDefault()
        run(register)()
      }}
    >
      <label class="field">
        <span>Callback URL</span>
        <input
          type="url"
          required
          value={url.value}
          onInput={(input) => {
            url.value = input.currentTarget.value
          }}
        />
      </label>
      {event === undefined && (
        <>
          <label class="field">
            <span>Kind</span>
            <select
              value={kind.value}
              onChange={(change) => {
                kind.value = change.currentTarget.value
              }}
            >
              <option value="">All ten kinds</option>
              {EVENT_KINDS.map((one) => (
                <option key={one} value={one}>
                  {kindLabel(one)}
                </option>
              ))}
            </select>
          </label>
          <label class="field">
            <span>Account</span>
            <select
              value={account.value}
              onChange={(change) => {
                account.value = change.currentTarget.value
              }}
            >
              <option value="">Your application, {accountId}</option>
              {users.map((user) => (
                <option key={user.accountId} value={user.accountId}>
                  {user.name}, {user.accountId}
                </option>
              ))}
            </select>
          </label>
        </>
      )}
      <div class="actions">
        <button type="submit">Register</button>
      </div>
    </form>
  )
}

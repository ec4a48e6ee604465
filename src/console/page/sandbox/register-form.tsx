import { useSignal } from '@preact/signals'
import { EVENT_KINDS } from '../../../events/kinds.ts'
import { Button, bind, Field, Form, Select, set } from '../parts/fields.tsx'
import { kindLabel } from '../parts/format.ts'
import { remember, remembered } from './samples.ts'
import { credentials, register } from './session.ts'

/** Registers a URL for a kind, or for one to choose. */
export function RegisterForm({ event }: { event?: string }) {
  const kind = useSignal(event ?? '')
  const url = useSignal(remembered('url') ?? 'http://localhost:3000/webhooks')
  const account = useSignal('')
  const isReplacing = useSignal(true)
  const { accountId = '', users = [] } = credentials.value ?? {}
  const submit = async () => {
    const kinds = kind.value ? [kind.value] : EVENT_KINDS
    await register(url.value, kinds, account.value || accountId, isReplacing.value)
    remember('url', url.value)
  }
  return (
    <Form look="grid" work={submit}>
      <Field label="Callback URL">
        <input type="url" required {...bind(url)} />
      </Field>
      {event === undefined && (
        <>
          <Field label="Kind">
            <Select
              {...bind(kind)}
              options={[['', 'All ten kinds'], ...EVENT_KINDS.map((one) => [one, kindLabel(one)] as const)]}
            />
          </Field>
          <Field label="Account">
            <Select
              {...bind(account)}
              options={[
                ['', `Your application, ${accountId}`],
                ...users.map((user) => [user.accountId, `${user.name}, ${user.accountId}`] as const),
              ]}
            />
          </Field>
          <label class="check">
            <input
              type="checkbox"
              checked={isReplacing.value}
              onChange={(change) => set(isReplacing, change.currentTarget.checked)}
            />
            Replace the other URLs of this kind
          </label>
        </>
      )}
      <div class="actions">
        <Button>Register</Button>
      </div>
    </Form>
  )
}

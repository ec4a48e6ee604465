import { useSignal } from '@preact/signals'
import { EVENT_KINDS } from '../../../events/kinds.ts'
import { Button, bind, Checkbox, Field, Form, kindOptions, Select, set } from '../parts/fields.tsx'
import { remember, remembered } from './samples.ts'
import { credentials, register } from './setup-store.ts'

/** Registers a URL for some kinds, or for those to choose. */
export function RegisterForm({ kinds }: { kinds?: readonly string[] }) {
  const kind = useSignal('')
  const url = useSignal(remembered('url') ?? 'http://localhost:3000/webhooks')
  const account = useSignal('')
  const isReplacing = useSignal(true)
  const { accountId = '', users = [] } = credentials.value ?? {}
  const accounts = [{ accountId, name: 'Your application' }, ...users]
  const submit = async () => {
    const chosen = kinds ?? (kind.value ? [kind.value] : EVENT_KINDS)
    await register(url.value, chosen, account.value || accountId, isReplacing.value)
    remember('url', url.value)
  }
  return (
    <Form look="grid" work={submit}>
      <Field label="Callback URL">
        <input type="url" required {...bind(url)} />
      </Field>
      {!kinds && (
        <>
          <Field label="Kind">
            <Select {...bind(kind)} options={{ '': 'All ten kinds', ...kindOptions(EVENT_KINDS) }} />
          </Field>
          <Field label="Account">
            <Select
              {...bind(account)}
              value={account.value || accountId}
              options={Object.fromEntries(
                accounts.map((one) => [one.accountId, `${one.name}, ${one.accountId}`]),
              )}
            />
          </Field>
          <Checkbox checked={isReplacing.value} work={(checked) => set(isReplacing, checked)}>
            Replace other URLs of the same kinds
          </Checkbox>
        </>
      )}
      <div class="actions">
        <Button>Register</Button>
      </div>
    </Form>
  )
}

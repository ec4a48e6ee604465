import { computed, signal } from '@preact/signals'
import { bind, Field } from '../parts/fields.tsx'
import { credentials } from './setup-store.ts'

const clientId = signal('')
/** The one of the sandbox, unless the user has typed another. */
export const usedClientId = computed(() => clientId.value || (credentials.value?.clientId ?? ''))

export function ClientIdField() {
  return (
    <Field label="Client id that your receiver verifies with">
      <input
        class="mono"
        spellcheck={false}
        autocomplete="off"
        {...bind(clientId)}
        value={usedClientId.value}
      />
    </Field>
  )
}

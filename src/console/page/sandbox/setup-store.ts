import { computed, signal } from '@preact/signals'
import type { CredentialsJson } from '../../../sandbox/control/control-json.ts'
import type { Configuration } from '../../../sandbox/state/configurations.ts'
import type { SandboxFaults } from '../../../sandbox/state/faults.ts'
import { control } from './control-api.ts'

export const credentials = signal<CredentialsJson | undefined>(undefined)
export const configurations = signal<readonly Configuration[] | undefined>(undefined)
export const active = computed(() => (configurations.value ?? []).filter(({ status }) => status === 'Active'))
export const faults = signal<SandboxFaults>({})
export const activeFaults = computed(() => Object.keys(faults.value))

export async function loadSetup(): Promise<void> {
  ;[credentials.value, faults.value] = await Promise.all([control('GET credentials'), control('GET faults')])
  await loadConfigurations()
}

export async function loadConfigurations(): Promise<void> {
  configurations.value = (await control('GET configurations')).configurations
}

/** Replaces other URLs of the kinds if that is wanted: with two, every event comes twice. */
export async function register(
  callbackUrl: string,
  kinds: readonly string[],
  accountId: string,
  isReplacing: boolean,
): Promise<void> {
  for (const event of kinds) {
    const own = active.value.filter((one) => one.event === event && one.accountId === accountId)
    const others = own.filter((one) => one.callbackUrl !== callbackUrl)
    if (others.length === own.length)
      await control('POST configurations', { json: { event, callbackUrl, accountId } })
    if (isReplacing) for (const { id } of others) await control('DELETE configurations/:id', { id })
  }
  await loadConfigurations()
}

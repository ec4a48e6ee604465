import { signal } from '@preact/signals'
import type { Configuration, Credentials } from './control-answers.ts'
import { control } from './control-api.ts'

/** State that the views share. */
export const credentials = signal<Credentials | undefined>(undefined)
export const configurations = signal<readonly Configuration[] | undefined>(undefined)
export const faults = signal<Record<string, unknown>>({})

export async function loadSession(): Promise<void> {
  ;[credentials.value, faults.value] = await Promise.all([control.credentials(), control.faults()])
  await loadConfigurations()
}

export async function loadConfigurations(): Promise<void> {
  configurations.value = (await control.configurations()).configurations
}

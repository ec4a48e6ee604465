import { computed, signal } from '@preact/signals'
import type { ConfigurationJson, CredentialsJson, FaultsJson } from '../../../sandbox/control/control-json.ts'
import { control } from './control-api.ts'

export const credentials = signal<CredentialsJson | undefined>(undefined)
export const configurations = signal<readonly ConfigurationJson[] | undefined>(undefined)
export const active = computed(() => (configurations.value ?? []).filter(({ status }) => status === 'Active'))
export const faults = signal<FaultsJson>({})
export const activeFaults = computed(() => Object.keys(faults.value))

export async function loadSetup(): Promise<void> {
  ;[credentials.value, faults.value] = await Promise.all([control('GET credentials'), control('GET faults')])
  await loadConfigurations()
}

export async function loadConfigurations(): Promise<void> {
  configurations.value = (await control('GET configurations')).configurations
}

/** Registers a URL for some kinds, and replaces their other URLs if that is wanted. */
export async function register(
  url: string,
  kinds: readonly string[],
  accountId: string,
  isReplacing: boolean,
): Promise<void> {
  for (const kind of kinds) {
    const others = isReplacing ? active.value.filter((one) => isOf(one, kind, accountId)) : []
    await moveTo(url, kind, accountId, others)
  }
  await loadConfigurations()
}

export async function changeUrl(changed: readonly ConfigurationJson[], url: string): Promise<void> {
  for (const one of changed) await moveTo(url, one.event, one.accountId, [one])
  await loadConfigurations()
}

/** Leaves one configuration of a kind with the URL instead of others: with two, every event comes twice. */
async function moveTo(
  url: string,
  kind: string,
  accountId: string,
  from: readonly ConfigurationJson[],
): Promise<void> {
  const isThere = active.value.some((one) => isOf(one, kind, accountId) && one.callbackUrl === url)
  const others = from.filter(({ callbackUrl }) => callbackUrl !== url)
  const [first, ...rest] = others
  const change = { callbackUrl: url }
  if (!isThere && first)
    await control('PATCH configurations/:id', { id: first.id, body: JSON.stringify(change) })
  if (!isThere && !first)
    await control('POST configurations', { body: JSON.stringify({ event: kind, ...change, accountId }) })
  for (const { id } of isThere ? others : rest) await control('DELETE configurations/:id', { id })
}

function isOf(one: ConfigurationJson, kind: string, accountId: string): boolean {
  return one.event === kind && one.accountId === accountId
}

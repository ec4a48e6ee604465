import type { Command } from 'commander'
import type { Client } from '../client/index.ts'
import { addCommand, type CommandHelp } from './command.ts'
import { environment, required } from './environment.ts'

interface ServiceCommandHelp<Args extends unknown[]> extends CommandHelp {
  run(client: Client, ...args: Args): Promise<void>
}

export function addServiceCommand<Args extends unknown[]>(
  parent: Command,
  name: string,
  { run, ...help }: ServiceCommandHelp<Args>,
): Command {
  return addCommand(parent, name, help).action(async (...args: Args) => run(await openClient(), ...args))
}

export async function openClient(): Promise<Client> {
  const { createClient } = await import('../client/index.ts')
  return createClient({
    baseUrl: required('PAYHOOK_BASE_URL'),
    clientId: required('PAYHOOK_CLIENT_ID'),
    clientSecret: required('PAYHOOK_CLIENT_SECRET'),
    servicePath: environment('PAYHOOK_SERVICE_PATH'),
  })
}

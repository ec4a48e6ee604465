import { type Command, Option } from 'commander'
import type { Client } from '../client/index.ts'
import { addCommand, type CommandHelp } from './command.ts'
import { required } from './environment.ts'

export interface ServiceOptions {
  readonly servicePath: string
}

export function servicePathOption(description = "the service's own name in its paths"): Option {
  return new Option('--service-path <segment>', description).env('PAYHOOK_SERVICE_PATH').default('svc')
}

/** Adds a command that calls the service. */
export function addServiceCommand(parent: Command, name: string, help: CommandHelp): Command {
  return addCommand(parent, name, help).addOption(servicePathOption())
}

/** @throws UsageError if the address or a credential is missing from the environment */
export async function openClient({ servicePath }: ServiceOptions): Promise<Client> {
  const { createClient } = await import('../client/index.ts')
  return createClient({
    baseUrl: required('PAYHOOK_BASE_URL'),
    clientId: required('PAYHOOK_CLIENT_ID'),
    clientSecret: required('PAYHOOK_CLIENT_SECRET'),
    servicePath,
  })
}

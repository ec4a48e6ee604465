import { type Command, Option } from 'commander'
import type { Client } from '../client/index.ts'
import { required } from './environment.ts'

export interface ClientCommandOptions {
  readonly servicePath: string
  readonly json?: true
}

/** Adds the options of every command that calls the service. */
export function withClientOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--service-path <segment>', "the service's own name in its paths")
        .env('PAYHOOK_SERVICE_PATH')
        .default('svc'),
    )
    .option('--json', 'print JSON')
}

/** @throws UsageError if the address or a credential is missing from the environment */
export async function openClient({
  servicePath,
}: Pick<ClientCommandOptions, 'servicePath'>): Promise<Client> {
  const { createClient } = await import('../client/index.ts')
  return createClient({
    baseUrl: required('PAYHOOK_BASE_URL'),
    clientId: required('PAYHOOK_CLIENT_ID'),
    clientSecret: required('PAYHOOK_CLIENT_SECRET'),
    servicePath,
  })
}

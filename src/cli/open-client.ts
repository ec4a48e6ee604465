import { type Command, Option } from 'commander'
import type { Client } from '../client/index.ts'
import { required } from './environment.ts'
import { UsageError } from './errors.ts'

export interface ClientCommandOptions {
  readonly servicePath: string
  readonly json?: true
}

export function servicePathOption(description = "the service's own name in its paths"): Option {
  return new Option('--service-path <segment>', description).env('PAYHOOK_SERVICE_PATH').default('svc')
}

/** Adds the options of every command that calls the service. */
export function withClientOptions(command: Command): Command {
  return command.addOption(servicePathOption()).option('--json', 'print JSON')
}

/** @throws UsageError if the address or a credential is missing from the environment, or is invalid */
export async function openClient({
  servicePath,
}: Pick<ClientCommandOptions, 'servicePath'>): Promise<Client> {
  const { createClient } = await import('../client/index.ts')
  const options = {
    baseUrl: required('PAYHOOK_BASE_URL'),
    clientId: required('PAYHOOK_CLIENT_ID'),
    clientSecret: required('PAYHOOK_CLIENT_SECRET'),
    servicePath,
  }
  try {
    return createClient(options)
  } catch (error) {
    throw new UsageError(toCommandLine((error as Error).message))
  }
}

/** The client names its options. Here they are variables, and there is no allowInsecureHttp. */
function toCommandLine(message: string): string {
  return message.replace('"baseUrl" option', 'PAYHOOK_BASE_URL').replace(/, unless "allowInsecureHttp".*/, '')
}

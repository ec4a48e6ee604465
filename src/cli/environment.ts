import { Failure, UsageError } from './errors.ts'

/** Where `payhook sandbox` listens by default, and where the other commands look for it. */
export const SANDBOX_PORT = 4949
export const SANDBOX_URL = `http://127.0.0.1:${SANDBOX_PORT}`

export const LISTEN_PORT = 4950

/** Explains what to do about a port that is in use. Returns any other error unchanged. */
export function portTaken(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code !== 'EADDRINUSE') return error
  const message = `Port ${port} is in use, perhaps by another payhook. Stop it, or choose another port with --port, or any free one with --port 0.`
  return new Failure('port_taken', message)
}

/** Secrets come from the environment, since other users of the machine can read a command line. */
const MEANINGS = {
  PAYHOOK_BASE_URL: `the address of the service. For a sandbox, it is ${SANDBOX_URL}`,
  PAYHOOK_CLIENT_ID: 'the client id of your application. For a sandbox, it is sandbox-client-id',
  PAYHOOK_CLIENT_SECRET: 'the client secret of your application. For a sandbox, it is sandbox-client-secret',
}

/** An environment variable. An empty one counts as missing. */
export function environment(name: keyof typeof MEANINGS | 'PAYHOOK_SERVICE_PATH'): string | undefined {
  return process.env[name] || undefined
}

export function required(name: keyof typeof MEANINGS): string {
  const value = environment(name)
  if (value === undefined) throw new UsageError(`Set ${name} to ${MEANINGS[name]}.`)
  return value
}

import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'vitest'

/** The servers that two engines need: from the environment, or at their default address. */
export const REDIS = new URL(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379')
export const POSTGRES = new URL(process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test')

export function hostAndPort({ hostname, port, protocol }: URL): { host: string; port: number } {
  return { host: hostname, port: Number(port) || (protocol === 'redis:' ? 6379 : 5432) }
}

/** Tests that need a server. Without it they are skipped with a visible line; in CI they fail. */
export async function describeWithService(name: string, url: URL, body: () => void): Promise<void> {
  const { host, port } = hostAndPort(url)
  if (await answers(host, port)) describe(name, body)
  else if (process.env.CI)
    it(`${name} needs ${host}:${port}`, () => Promise.reject(noAnswer(name, host, port)))
  else it.skip(`${noAnswer(name, host, port).message}; "docker compose up" starts it`)
}

function noAnswer(name: string, host: string, port: number): Error {
  return new Error(`${name}: nothing answers at ${host}:${port}`)
}

async function answers(host: string, port: number): Promise<boolean> {
  const socket = connect(port, host)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

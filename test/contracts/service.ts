import { once } from 'node:events'
import { connect } from 'node:net'
import { describe } from 'vitest'
import { describeMissing } from './missing.ts'

/** The servers that two engines need: from the environment, or at their default address. */
export const REDIS = new URL(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379')
export const POSTGRES = new URL(process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test')

export function hostAndPort({ hostname, port, protocol }: URL): { host: string; port: number } {
  return { host: hostname, port: Number(port) || (protocol === 'redis:' ? 6379 : 5432) }
}

/** Tests that need one server, or several. */
export async function describeWithService(
  name: string,
  urls: URL | readonly URL[],
  body: () => void,
): Promise<void> {
  for (const url of [urls].flat()) {
    const { host, port } = hostAndPort(url)
    if (await accepts(host, port)) continue
    return describeMissing(name, `Nothing listens on ${host}:${port}. "docker compose up --wait" starts it.`)
  }
  describe(name, body)
}

async function accepts(host: string, port: number): Promise<boolean> {
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

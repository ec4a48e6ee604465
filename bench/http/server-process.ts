import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** A server in its own process. */
export interface ServerProcess {
  readonly port: number
  /** Processor time since the start, user and system, in microseconds. */
  processorTime(): Promise<number>
  stop(): void
}

/**
 * Starts a contestant of contestants.ts.
 *
 * @param execArgv options of Node, such as a heap limit
 */
export async function startServer(name: string, execArgv: readonly string[] = []): Promise<ServerProcess> {
  const child = fork(new URL('./server.ts', import.meta.url), [name], {
    env: { ...process.env, NODE_ENV: 'production' },
    execArgv: [...execArgv],
  })
  const port = await nextNumber(child, name)
  return {
    port,
    async processorTime() {
      child.send('processor time')
      return await nextNumber(child, name)
    },
    stop() {
      if (child.connected) child.disconnect()
    },
  }
}

async function nextNumber(child: ChildProcess, name: string): Promise<number> {
  const waiting = new AbortController()
  const { signal } = waiting
  try {
    const [value] = await Promise.race([once(child, 'message', { signal }), death(child, name, signal)])
    return value
  } finally {
    waiting.abort()
  }
}

async function death(child: ChildProcess, name: string, signal: AbortSignal): Promise<never> {
  await once(child, 'exit', { signal })
  throw new Error(`The server "${name}" has ended.`)
}

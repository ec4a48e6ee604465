import { fork } from 'node:child_process'
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
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`The server "${name}" has ended.`)))
  ended.catch(() => {})
  const nextNumber = async (): Promise<number> => (await Promise.race([once(child, 'message'), ended]))[0]
  const port = await nextNumber()
  return {
    port,
    async processorTime() {
      child.send('processor time')
      return await nextNumber()
    },
    stop() {
      if (child.connected) child.disconnect()
    },
  }
}

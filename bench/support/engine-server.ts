import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** The server of an engine, which ends with this process. */
export interface EngineServer {
  readonly processId: number
  /** Also deletes its folder. */
  stop(): Promise<void>
}

interface Start {
  readonly command: string
  readonly args: readonly string[]
  readonly user?: Pick<SpawnOptions, 'uid' | 'gid'> | undefined
  /** Where its data is. */
  readonly folder: string
  /** What it prints when it is ready. */
  readonly ready: string
  /** What ends it at once. */
  readonly signal: NodeJS.Signals
}

/** @throws if it is not installed, or ends before it is ready */
export async function startEngine(start: Start): Promise<EngineServer> {
  const { command, args, user, folder, ready, signal } = start
  const server = spawn(command, args, { ...user, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  const gone = once(server, 'exit')
  const kill = () => server.kill(signal)
  process.once('exit', kill)
  for (const end of ['SIGINT', 'SIGTERM'] as const) process.once(end, () => process.exit(1))
  async function stop(): Promise<void> {
    kill()
    await gone.catch(() => {})
    process.off('exit', kill)
    rmSync(folder, { recursive: true, force: true })
  }
  const isReady = (output: Readable) =>
    new Promise<void>((resolve) => {
      createInterface(output).on('line', (line) => line.includes(ready) && resolve())
    })
  const early = gone.then(() => {
    throw new Error(`${command} ended before it was ready`)
  })
  try {
    // Redis writes to the one, PostgreSQL to the other.
    await Promise.race([isReady(server.stdout), isReady(server.stderr), early])
  } catch (error) {
    await stop()
    throw error
  }
  return { processId: server.pid as number, stop }
}

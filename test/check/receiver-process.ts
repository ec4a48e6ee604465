import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const CLIENT_ID = 'check-client-id'
export const CLIENT_SECRET = 'check-client-secret'
/** Only the right ones require it. */
export const TOKEN = 'check-callback-token'

const folder = fileURLToPath(new URL('receivers/', import.meta.url))

/** What runs a file, and how to get it. */
const INTERPRETERS: Readonly<Record<string, readonly [command: string, get: string]>> = {
  '.mjs': [process.execPath, ''],
  '.py': ['python3', 'apt-get install python3'],
  '.php': ['php', 'apt-get install php-cli'],
  '.go': ['go', 'apt-get install golang-go'],
}

/** How to get what a receiver needs, if this machine does not have it. */
export function missingFor(file: string): string | undefined {
  const [command = '', get] = INTERPRETERS[extname(file)] ?? []
  const isThere = spawnSync(command, [command === 'go' ? 'version' : '--version']).status === 0
  return isThere ? undefined : `There is no ${command}. "${get}" installs it.`
}

/** Starts a receiver of the folder `receivers`, which prints its port. */
export async function startReceiver(file: string) {
  const path = join(folder, file)
  const built = file.endsWith('.go') ? await buildGo(path) : undefined
  const [command = '', args] = file.endsWith('.php')
    ? ['php', ['-S', '127.0.0.1:0', path]]
    : built
      ? [join(built, 'receiver'), [CLIENT_ID, CLIENT_SECRET, TOKEN]]
      : [INTERPRETERS[extname(file)]?.[0], [path, CLIENT_ID, CLIENT_SECRET, TOKEN]]
  const child = spawn(command, args, { env: { ...process.env, CLIENT_ID, TOKEN } })
  const printed = child[file.endsWith('.php') ? 'stderr' : 'stdout']
  const [port] = await Promise.race([once(createInterface(printed), 'line'), once(child, 'exit')])
  child.stdout.resume()
  child.stderr.resume()
  return {
    url: `http://127.0.0.1:${/:(\d+)\)|$/.exec(port)?.[1] ?? port}/`,
    async stop() {
      await end(child)
      if (built) rmSync(built, { recursive: true })
    },
  }
}

async function buildGo(path: string): Promise<string> {
  const built = mkdtempSync(join(tmpdir(), 'payhook-go-'))
  await promisify(execFile)('go', ['build', '-o', join(built, 'receiver'), path])
  return built
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

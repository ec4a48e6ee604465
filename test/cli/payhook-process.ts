import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { environment, type Outcome, printed, type RunningPayhook } from './payhook.ts'

const BUILT = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))
/** In CI, which has just built it, what ships; else the sources, which are never out of date. */
export const MAIN =
  process.env.CI && existsSync(BUILT)
    ? BUILT
    : fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

export interface RunOptions {
  /** Runs it in a pseudo-terminal of so many columns, which has one stream for stdout and stderr. */
  readonly columns?: number
  readonly env?: Record<string, string>
  readonly stdin?: string | Uint8Array
}

/** Starts a command in a process of its own; it ends with the test. */
export function spawnPayhook(
  args: readonly string[],
  options: RunOptions = {},
): RunningPayhook & { readonly child: ChildProcessWithoutNullStreams } {
  const child = spawnCommand(args, options)
  const [exited, closed] = [once(child, 'exit'), once(child, 'close')]
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk) => {
      written[name] += chunk
    })
  onTestFinished(() => void child.kill('SIGKILL'))
  const stdout = () => written.stdout
  const stderr = () => written.stderr
  const hasEnded = () => child.exitCode !== null
  return {
    child,
    stdout,
    stderr,
    printed: (pattern) => printed(pattern, { stdout, stderr, hasEnded }),
    async ended() {
      await exited
      return child.exitCode
    },
    async stop(signal = 'SIGINT') {
      child.kill(signal)
      await closed
      return child.exitCode
    },
  }
}

/** Runs the command line to its end in a process of its own, with pipes. */
export async function spawnedPayhook(
  args: readonly string[],
  { stdin = '', ...options }: RunOptions = {},
): Promise<Outcome> {
  const { child, stdout, stderr } = spawnPayhook(args, options)
  child.stdin.on('error', () => {})
  child.stdin.end(stdin)
  await once(child, 'close')
  return { code: child.exitCode, stdout: stdout(), stderr: stderr() }
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

function spawnCommand(args: readonly string[], { env, columns }: RunOptions): ChildProcessWithoutNullStreams {
  if (columns !== undefined) {
    const command = [process.execPath, MAIN, ...args].map(quote).join(' ')
    return spawn('script', ['-qec', `stty cols ${columns}; ${command}`, '/dev/null'], {
      env: environment({ TERM: 'xterm-256color', ...env }),
    })
  }
  return spawn(process.execPath, [MAIN, ...args], { env: environment(env) })
}

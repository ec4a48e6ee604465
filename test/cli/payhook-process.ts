import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { waitFor } from '../contracts/wait-for.ts'
import { environment, type Outcome, type RunningPayhook } from './payhook.ts'

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
  readonly cwd?: string
}

/** Runs the command line to its end in a process of its own, with pipes. */
export async function spawnedPayhook(
  args: readonly string[],
  { stdin = '', ...options }: RunOptions = {},
): Promise<Outcome> {
  const child = spawnCommand(args, options)
  child.stdin.on('error', () => {})
  child.stdin.end(stdin)
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: child.exitCode, stdout, stderr }
}

/** Starts a command in a process of its own; it ends with the test. */
export function spawnPayhook(
  args: readonly string[],
  options: RunOptions = {},
): RunningPayhook & { readonly child: ChildProcessWithoutNullStreams } {
  const child = spawnCommand(args, options)
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    async printed(pattern) {
      await waitFor(() => {
        if (child.exitCode !== null && !pattern.test(stdout)) throw new Error(`it ended: ${stdout}${stderr}`)
        return pattern.test(stdout)
      })
      return stdout
    },
    async ended() {
      await waitFor(() => child.exitCode !== null)
      return child.exitCode
    },
    async stop(signal = 'SIGINT') {
      if (child.exitCode !== null) return child.exitCode
      const closed = once(child, 'close')
      child.kill(signal)
      await closed
      return child.exitCode
    },
  }
}

/**
 * Runs the command line to its end in a pseudo-terminal, which has one stream for stdout and stderr.
 *
 * @param typed what is typed when it asks
 */
export async function payhookInTerminal(
  args: readonly string[],
  { env = {}, typed, columns = 80 }: Pick<RunOptions, 'env' | 'columns'> & { readonly typed?: string } = {},
): Promise<{ code: number | null; output: string }> {
  const child = spawnCommand(args, { env, columns })
  let output = ''
  child.stdout.on('data', (chunk) => {
    if (!output.includes('[y/N]') && `${output}${chunk}`.includes('[y/N]')) child.stdin.write(typed)
    output += chunk
  })
  await once(child, 'close')
  return { code: child.exitCode, output }
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

function spawnCommand(
  args: readonly string[],
  { env, cwd, columns }: RunOptions,
): ChildProcessWithoutNullStreams {
  if (columns !== undefined) {
    const command = [process.execPath, MAIN, ...args].map(quote).join(' ')
    return spawn('script', ['-qec', `stty cols ${columns}; ${command}`, '/dev/null'], {
      cwd,
      env: environment({ TERM: 'xterm-256color', ...env }),
    })
  }
  return spawn(process.execPath, [MAIN, ...args], { cwd, env: environment(env) })
}

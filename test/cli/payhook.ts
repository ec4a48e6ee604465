import { Readable, Writable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { run } from '../../src/cli/run.ts'
import { waitFor } from '../contracts/wait-for.ts'

export const CLIENT_ID = 'sandbox-client-id'

export interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A command that runs until it is stopped. */
export interface RunningPayhook {
  stdout(): string
  stderr(): string
  /** Resolves with all of stdout once the pattern is in it. */
  printed(pattern: RegExp): Promise<string>
  /** Resolves with its exit code once it has ended by itself. */
  ended(): Promise<number | null>
  /** Interrupts it, and resolves with its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

interface Options {
  readonly env?: Record<string, string>
  readonly stdin?: string | Uint8Array
  /** Its streams are those of a terminal with so many columns, which has colors unless NO_COLOR is set. */
  readonly columns?: number
}

const BORROWED = ['stdin', 'stdout', 'stderr', 'env', 'emitWarning'] as const
let isRunning = false

/** Runs a command to its end in this process, with pipes. */
export async function payhook(args: readonly string[], options: Options = {}): Promise<Outcome> {
  const { stdout, stderr, ended } = borrow(args, options)
  return { code: await ended, stdout: stdout(), stderr: stderr() }
}

/** Starts a command in this process; it ends with the test. */
export function startPayhook(args: readonly string[], options: Options = {}): RunningPayhook {
  const { stdout, stderr, ended } = borrow(args, options)
  let code: number | undefined
  void ended.then((ended) => {
    code = ended
  })
  const stop = (signal: NodeJS.Signals = 'SIGINT') => {
    if (code === undefined) process.emit(signal, signal)
    return ended
  }
  onTestFinished(async () => void (await stop()))
  return {
    stdout,
    stderr,
    printed: (pattern) => printed(pattern, { stdout, stderr, hasEnded: () => code !== undefined }),
    ended: () => ended,
    stop,
  }
}

export async function printed(
  pattern: RegExp,
  { stdout, stderr, hasEnded }: { stdout(): string; stderr(): string; hasEnded(): boolean },
): Promise<string> {
  return await waitFor(() => {
    if (pattern.test(stdout())) return stdout()
    if (hasEnded()) throw new Error(`it ended: ${stdout()}${stderr()}`)
    return undefined
  })
}

/** Runs a command with streams and an environment of its own, and gives them back at its end. */
function borrow(args: readonly string[], { env, stdin = '', columns }: Options) {
  if (isRunning) throw new Error('A command has this process alone. Start the other one with spawnPayhook().')
  isRunning = true
  const own = BORROWED.map((name) => [name, Object.getOwnPropertyDescriptor(process, name)] as const)
  const { exitCode } = process
  const written = { stdout: '', stderr: '' }
  const terminal = { isTTY: true, columns, hasColors: () => env?.NO_COLOR === undefined }
  const capture = (name: keyof typeof written) => {
    const write = (chunk: Buffer, _: unknown, done: () => void) => {
      written[name] += chunk
      done()
    }
    return Object.assign(new Writable({ write }), columns !== undefined && terminal)
  }
  const input = Object.assign(Readable.from([Buffer.from(stdin)]), columns !== undefined && terminal)
  const streams = {
    stdin: input,
    stdout: capture('stdout'),
    stderr: capture('stderr'),
    env: environment(env),
  }
  for (const [name, value] of Object.entries(streams)) {
    Object.defineProperty(process, name, { value, configurable: true, writable: true })
  }
  process.exitCode = undefined
  const ended = run(args)
    .then(() => Number(process.exitCode ?? 0))
    .finally(() => {
      for (const [name, descriptor] of own) Object.defineProperty(process, name, descriptor ?? {})
      process.exitCode = exitCode
      isRunning = false
    })
  return { stdout: () => written.stdout, stderr: () => written.stderr, ended }
}

/** The lines of JSON that a command printed. */
export function jsonLinesOf({ stdout }: Pick<Outcome, 'stdout'>) {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** Runs a command with `--json`. @returns the lines of JSON that it printed */
export async function payhookJson(args: readonly string[], options?: Options) {
  const { code, stdout, stderr } = await payhook([...args, '--json'], options)
  const lines = (text: string) => (text === '' ? [] : jsonLinesOf({ stdout: text }))
  return { code, stdout: lines(stdout), stderr: lines(stderr) }
}

/** Without what the machine of the test may have set. */
export function environment(env: Record<string, string> = {}): NodeJS.ProcessEnv {
  const clean = Object.entries(process.env).filter(
    ([name]) => !/^(?:CI|PAYHOOK_.*|.*_COLOR|NODE_OPTIONS)$/.test(name),
  )
  return { ...Object.fromEntries(clean), PAYHOOK_CLIENT_ID: CLIENT_ID, ...env }
}

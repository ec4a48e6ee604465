import { PassThrough, Readable } from 'node:stream'
import { run } from '../../src/cli/run.ts'

export const CLIENT_ID = 'sandbox-client-id'

export interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const BORROWED = ['stdin', 'stdout', 'stderr', 'env', 'emitWarning'] as const
let isRunning = false

/** Runs a command to its end in this process, with pipes. */
export async function payhook(
  args: readonly string[],
  { env, stdin = '' }: { readonly env?: Record<string, string>; readonly stdin?: string | Uint8Array } = {},
): Promise<Outcome> {
  if (isRunning) throw new Error('A command has this process alone. Start the other one with startPayhook().')
  isRunning = true
  const own = BORROWED.map((name) => [name, Object.getOwnPropertyDescriptor(process, name)] as const)
  const { exitCode } = process
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const streams = { stdin: Readable.from([Buffer.from(stdin)]), stdout, stderr, env: environment(env) }
  for (const [name, value] of Object.entries(streams)) {
    Object.defineProperty(process, name, { value, configurable: true, writable: true })
  }
  process.exitCode = undefined
  try {
    await run(args)
    return { code: Number(process.exitCode ?? 0), stdout: textOf(stdout), stderr: textOf(stderr) }
  } finally {
    for (const [name, descriptor] of own) Object.defineProperty(process, name, descriptor ?? {})
    process.exitCode = exitCode
    isRunning = false
  }
}

/** The lines of JSON that a command printed. */
export function jsonLinesOf({ stdout }: Pick<Outcome, 'stdout'>) {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

function textOf(stream: PassThrough): string {
  return String(stream.read() ?? '')
}

/** Without what the machine of the test may have set. */
export function environment(env: Record<string, string> = {}): NodeJS.ProcessEnv {
  const clean = Object.entries(process.env).filter(
    ([name]) => !/^(?:CI|PAYHOOK_.*|.*_COLOR|NODE_OPTIONS)$/.test(name),
  )
  return { ...Object.fromEntries(clean), PAYHOOK_CLIENT_ID: CLIENT_ID, ...env }
}

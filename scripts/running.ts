import { spawn } from 'node:child_process'
import { once } from 'node:events'

// Far more than any of them needs.
const LIMIT_MS = 180_000

/** A child process, with what it prints. */
export interface Running {
  /** Resolves when the output matches; rejects if the process ends first. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>
  /** Signals the process and those that it started. Nothing happens if it has ended. */
  kill(signal: NodeJS.Signals): void
  /** The exit code; null if a signal ended it. */
  readonly ended: Promise<number | null>
}

export function start(command: string, args: string[], cwd: string, env: NodeJS.ProcessEnv): Running {
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  const collect = (chunk: Buffer) => {
    output += chunk
    child.emit('output')
  }
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return {
    ended,
    async waitFor(pattern) {
      const tooLate = AbortSignal.timeout(LIMIT_MS)
      for (;;) {
        const found = pattern.exec(output)
        if (found) return found
        const printed = once(child, 'output', { signal: tooLate }).then(
          () => true,
          () => false,
        )
        if (!(await Promise.race([printed, ended.then(() => false)]))) {
          throw new Error(`it did not print ${pattern}, but:\n${output}`)
        }
      }
    },
    kill(signal) {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
      process.kill(-child.pid, signal)
    },
  }
}

import { startProgram } from '../contracts/start-program.ts'

/** A process that handles notifications, and says when its first handler begins. */
export interface Worker {
  /** Whether a handler has begun. */
  isAtWork(): boolean
  /** Kills the process with SIGKILL and waits until it is gone. */
  kill(): Promise<void>
}

export function startWorker(program: URL, plan: object): Worker {
  const { child, gone } = startProgram(program, plan)
  let isAtWork = false
  child.once('message', () => {
    isAtWork = true
  })
  return {
    isAtWork: () => isAtWork,
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
  }
}

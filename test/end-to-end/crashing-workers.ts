import { startProgram } from '../contracts/start-program.ts'
import { waitFor } from '../contracts/wait-for.ts'

export interface Crashes {
  /** How often workers are killed. */
  readonly rounds: number
  /** Waits until it is time to kill, from when a worker is at work. */
  readonly untilKill: (round: number) => Promise<unknown>
}

/** A process that handles notifications, and sends a message when its first handler begins. */
export function startWorker(program: string, plan: object) {
  const { child, gone } = startProgram(new URL(program, import.meta.url), plan)
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

/** Two workers, which are killed and replaced again and again. */
export function startCrashingWorkers(start: () => ReturnType<typeof startWorker>) {
  const workers = [start(), start()]
  return {
    /** @param isDone whether no worker will ever be at work again */
    async crash({ rounds, untilKill }: Crashes, isDone: () => Promise<boolean>): Promise<void> {
      for (let round = 0; round < rounds; round++) {
        await waitFor(async () => workers.some((worker) => worker.isAtWork()) || (await isDone()))
        await untilKill(round)
        // Sometimes one survives, which has to go on with what the other one held.
        const killed = round % 3 === 2 ? [round % 2] : [0, 1]
        await Promise.all(killed.map((index) => workers[index]?.kill()))
        for (const index of killed) workers[index] = start()
      }
    },
    kill: () => Promise.all(workers.map((worker) => worker.kill())),
  }
}

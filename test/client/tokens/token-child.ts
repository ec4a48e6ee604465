import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { startProgram } from '../../contracts/start-program.ts'

export interface TokenProcessPlan {
  readonly role: 'holder' | 'refresher'
  readonly path: string
  readonly baseUrl: string
  readonly clientId: string
  readonly clientSecret: string
  /** What a holder locks. */
  readonly key?: string
  readonly rounds?: number
}

export interface TokenProcessMessage {
  readonly ready?: true
  readonly locked?: true
  readonly done?: number
  readonly failed?: string
}

/** Starts `token-process.ts`; it is gone when the test is. */
export function startTokenProcess(plan: TokenProcessPlan) {
  const { child, gone } = startProgram(new URL('./token-process.ts', import.meta.url), plan)
  const messages: TokenProcessMessage[] = []
  child.on('message', (message: TokenProcessMessage) => void messages.push(message))
  const kill = async () => {
    child.kill('SIGKILL')
    await gone
  }
  onTestFinished(kill)
  return {
    messages,
    /** Resolves with the first message, also an earlier one, that has this. */
    async told(what: keyof TokenProcessMessage) {
      while (!messages.some((message) => what in message)) {
        const next = await Promise.race([once(child, 'message'), gone.then(() => 'gone' as const)])
        if (next === 'gone') throw new Error(`the process ended without ${what}`)
      }
    },
    /** Has it begin, once it is ready. */
    begin: () => void child.send('begin'),
    kill,
    gone,
  }
}

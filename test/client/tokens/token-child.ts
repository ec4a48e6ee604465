import { fork } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'

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

export interface TokenChild {
  readonly messages: readonly TokenProcessMessage[]
  /** Resolves with the first message, also an earlier one, that has this. */
  told(what: keyof TokenProcessMessage): Promise<void>
  /** Has it begin, once it is ready. */
  begin(): void
  kill(): Promise<void>
  ended(): Promise<void>
}

/** Starts `token-process.ts`; it is gone when the test is. */
export function startTokenProcess(plan: TokenProcessPlan): TokenChild {
  const child = fork(new URL('./token-process.ts', import.meta.url), [JSON.stringify(plan)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  const messages: TokenProcessMessage[] = []
  const gone = once(child, 'close')
  child.on('message', (message: TokenProcessMessage) => void messages.push(message))
  const kill = async () => {
    child.kill('SIGKILL')
    await gone
  }
  onTestFinished(kill)
  return {
    messages,
    async told(what) {
      while (!messages.some((message) => what in message)) {
        const next = await Promise.race([once(child, 'message'), gone.then(() => 'gone' as const)])
        if (next === 'gone') throw new Error(`the process ended without ${what}`)
      }
    },
    begin: () => void child.send('begin'),
    kill,
    ended: async () => void (await gone),
  }
}

import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { PartPlan, WorkReport } from './child.ts'

/** A receiver or a worker in a process of its own. */
export interface Part extends Pick<PartPlan, 'role'> {
  readonly processId: number
  /** Where a receiver listens. */
  readonly port: number
  /** What a worker has done since the last report. */
  report(): Promise<WorkReport>
  stop(): Promise<void>
}

export async function startPart(plan: PartPlan): Promise<Part> {
  const child = fork(new URL('./child.ts', import.meta.url), [JSON.stringify(plan)], {
    env: { ...process.env, NODE_ENV: 'production' },
    // A receiver without start() says once that it runs no handlers.
    execArgv: ['--disable-warning=PayhookWarning'],
  })
  const gone = once(child, 'exit')
  const ended = gone.then(() => Promise.reject(new Error(`A ${plan.role} has ended.`)))
  ended.catch(() => {})
  const nextMessage = async () => (await Promise.race([once(child, 'message'), ended]))[0]
  const port: number = await nextMessage()
  return {
    role: plan.role,
    processId: child.pid as number,
    port,
    async report() {
      const answer = nextMessage()
      child.send('report')
      return await answer
    },
    async stop() {
      if (child.connected) child.disconnect()
      await gone
    },
  }
}

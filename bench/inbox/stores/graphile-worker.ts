import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import type { SignedNotification } from '../../../src/index.ts'
import { toJobData } from './bullmq.ts'

const TASK = 'notification'
const silent = new Logger(() => () => {})

/** A backlog of graphile-worker, handled by its runner with its default options. */
export async function openGraphileBacklog(
  connectionString: string,
  schema: string,
  notifications: readonly SignedNotification[],
) {
  const options = { connectionString, schema, logger: silent }
  const utils = await makeWorkerUtils(options)
  await utils.migrate()
  await utils.addJobs(
    notifications.map((notification) => ({ identifier: TASK, payload: toJobData(notification) })),
  )
  return {
    async handle(concurrency: number): Promise<void> {
      const all = Promise.withResolvers<void>()
      let left = notifications.length
      const handleOne = async () => {
        if (--left === 0) all.resolve()
      }
      const taskList = { [TASK]: handleOne }
      const runner = await run({ ...options, concurrency, noHandleSignals: true, taskList })
      await all.promise
      // Settles the last jobs, as the other contestants do.
      await runner.stop()
    },
    close: () => utils.release(),
  }
}

import { PgBoss } from 'pg-boss'
import type { SignedNotification } from '../../../src/index.ts'
import { toJobData } from './bullmq.ts'
import { gatherWhileBusy, type Store } from './store.ts'

const QUEUE = 'bare'

/** Handles the jobs of a pg-boss queue by hand: one call to fetch a batch, and one to complete it. */
export async function openBarePgBossBacklog(
  connectionString: string,
  schema: string,
  notifications: readonly SignedNotification[],
) {
  const { boss, insert } = await openQueue(connectionString, schema)
  for (let at = 0; at < notifications.length; at += 500) {
    await insert(notifications.slice(at, at + 500))
  }
  return {
    async handle(batchSize: number): Promise<void> {
      for (let left = notifications.length; left > 0; ) {
        const jobs = await boss.fetch(QUEUE, { batchSize, includeMetadata: true })
        await boss.complete(QUEUE, jobs)
        left -= jobs.length
      }
    },
    close: () => boss.stop({ graceful: false }),
  }
}

/**
 * pg-boss by hand, without deduplication.
 *
 * @param call `send` for each notification, as in its documentation, or one `insert` for all that arrived
 *   during the previous one
 */
export async function createBarePgBoss(
  connectionString: string,
  schema: string,
  call: 'send' | 'insert',
): Promise<Store> {
  const { boss, insert } = await openQueue(connectionString, schema)
  return {
    put:
      call === 'insert'
        ? gatherWhileBusy(insert)
        : (notification) => boss.send(QUEUE, toJobData(notification)),
    async count() {
      const sql = `select count(*)::int as number from ${schema}.job where name = $1`
      const { rows } = await boss.getDb().executeSql(sql, [QUEUE])
      return rows[0].number
    },
    close: () => boss.stop({ graceful: false }),
  }
}

async function openQueue(connectionString: string, schema: string) {
  const boss = new PgBoss({ connectionString, schema, supervise: false, schedule: false })
  await boss.start()
  await boss.createQueue(QUEUE)
  const insert = (notifications: readonly SignedNotification[]) =>
    boss.insert(
      QUEUE,
      notifications.map((notification) => ({ data: toJobData(notification) })),
    )
  return { boss, insert }
}

import { PgBoss } from 'pg-boss'
import type { SignedNotification } from '../../src/index.ts'
import { toJobData } from './bullmq.ts'
import { gatherWhileBusy, type Store } from './store.ts'

const QUEUE = 'bare'

/**
 * pg-boss by hand. No duplicates are recognised.
 *
 * @param call `send` for each, as its documentation shows it, or one `insert` for all that came during the one before
 */
export async function createBarePgBoss(
  connectionString: string,
  schema: string,
  call: 'send' | 'insert',
): Promise<Store> {
  const boss = new PgBoss({ connectionString, schema, supervise: false, schedule: false })
  await boss.start()
  await boss.createQueue(QUEUE)
  const insert = gatherWhileBusy((notifications: SignedNotification[]) =>
    boss.insert(
      QUEUE,
      notifications.map((notification) => ({ data: toJobData(notification) })),
    ),
  )
  return {
    put: call === 'insert' ? insert : (notification) => boss.send(QUEUE, toJobData(notification)),
    async count() {
      const sql = `select count(*)::int as number from ${schema}.job where name = $1`
      const { rows } = await boss.getDb().executeSql(sql, [QUEUE])
      return rows[0].number
    },
    close: () => boss.stop({ graceful: false }),
  }
}

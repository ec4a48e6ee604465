import { expect, it } from 'vitest'
import { createConsumer } from '../../../contracts/recording-consumer.ts'
import { describeWithService, POSTGRES } from '../../../contracts/service.ts'
import { createSigned } from '../../../contracts/signed-notification.ts'
import { waitFor } from '../../../contracts/wait-for.ts'
import { useDatabase } from './database.ts'

await describeWithService('counts of pg-boss', POSTGRES, () => {
  const { schema, query, open } = useDatabase()

  /** Stores copies of the only completed job. */
  async function multiply(queueName: string, copies: number): Promise<void> {
    const [found] = await query(
      `select string_agg(column_name, ',') as columns from information_schema.columns
       where table_schema = $1 and table_name = 'job' and column_name <> 'id'`,
      [schema],
    )
    await query(
      `insert into ${schema}.job (id, ${found?.columns})
       select gen_random_uuid(), ${found?.columns} from ${schema}.job, generate_series(1, ${copies})
       where name = '${queueName}'`,
    )
    await query(`analyze ${schema}.job_common`)
  }

  it('are exact up to 10,000 completed entries, and near above', async () => {
    const queueName = 'many'
    const inbox = open({ queueName })
    await inbox.put(createSigned('completed'))
    await inbox.start(createConsumer())
    await waitFor(async () => (await inbox.counts()).completed === 1)
    await inbox.stop()
    await multiply(queueName, 9_999)
    await inbox.put(createSigned('waiting'))
    expect(await inbox.counts()).toEqual({ waiting: 1, active: 0, completed: 10_000, dead: 0 })
    await multiply(queueName, 3)
    const { completed, ...others } = await inbox.counts()
    expect(others).toEqual({ waiting: 4, active: 0, dead: 0 })
    expect(completed).toBeGreaterThan(36_000)
    expect(completed).toBeLessThan(44_000)
  })
})

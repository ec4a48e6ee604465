import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { openInbox } from '../../test/contracts/open-inbox.ts'
import { createNotificationSource } from '../distinct-notifications.ts'
import { flags } from '../flags.ts'
import { processorTimeOf } from '../processor-time.ts'
import { putMany } from '../put-load.ts'
import type { Table } from '../report.ts'
import type { StorageServer } from './engines.ts'
import { handleAll } from './sizes.ts'

const KEPT = flags.quick ? 10_000 : 200_000
const EXPIRED = flags.quick ? 5_000 : 50_000
const SAMPLE = 1_000
const DAY_SECONDS = 86_400

export interface PruningRow {
  readonly kept: number
  readonly deleted: number
  readonly milliseconds: number
  readonly serverMs: number
}

/** How long pg-boss deletes completed jobs, which the inbox has it do once an hour. */
export async function measurePruning(server: StorageServer): Promise<PruningRow[]> {
  const place = server.newPlace()
  if (place.engine !== 'pg-boss') return []
  const { connectionString, schema, queueName = 'payhook' } = place
  {
    await using inbox = await openInbox(place)
    await putMany(inbox, 50, SAMPLE, createNotificationSource())
    await handleAll(place, inbox, SAMPLE)
  }
  const settings = { supervise: false, schedule: false, monitorIntervalSeconds: DAY_SECONDS }
  const boss = new PgBoss({ connectionString, schema, ...settings, maintenanceIntervalSeconds: 1 })
  const client = new pg.Client(connectionString)
  await Promise.all([boss.start(), client.connect()])
  await client.query(`create temp table sample as select * from ${schema}.job where state = 'completed'`)

  async function copy(count: number): Promise<void> {
    for (let left = count; left > 0; left -= SAMPLE) {
      await client.query(
        `update sample set id = gen_random_uuid(); insert into ${schema}.job select * from sample`,
      )
    }
    await server.catchUp()
  }

  async function prune(): Promise<PruningRow> {
    // It prunes once a second at most.
    await delay(1_100)
    const [before, started] = [await count(), performance.now()]
    const used = processorTimeOf(server.processId)
    await boss.supervise(queueName)
    const milliseconds = performance.now() - started
    const serverMs = processorTimeOf(server.processId) - used
    const kept = await count()
    return { kept, deleted: before - kept, milliseconds, serverMs }
  }

  async function count(): Promise<number> {
    return Number((await client.query(`select count(*) from ${schema}.job`)).rows[0].count)
  }

  try {
    await copy(KEPT)
    // The first one also collects statistics, which takes place once a day.
    await prune()
    const reading = await prune()
    await client.query(`update sample set completed_on = now() - interval '1 year'`)
    await copy(EXPIRED)
    return [reading, await prune()]
  } finally {
    await Promise.all([boss.stop(), client.end()])
  }
}

export function toPruningTable(rows: readonly PruningRow[]): Table<PruningRow> {
  return {
    title: 'Pruning in PostgreSQL',
    columns: {
      'entries kept': ({ kept }) => kept.toLocaleString('en'),
      deleted: ({ deleted }) => deleted.toLocaleString('en'),
      'took, ms': ({ milliseconds }) => milliseconds.toFixed(0),
      'server, ms': ({ serverMs }) => serverMs.toFixed(0),
    },
    rows,
  }
}

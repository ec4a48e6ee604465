import pg from 'pg'
import { openInbox } from '../../test/contracts/open-inbox.ts'
import { putMany } from '../inbox/put-load.ts'
import { createNotificationSource } from '../support/distinct-notifications.ts'
import { flags } from '../support/flags.ts'
import { processorTimeOf } from '../support/processor-time.ts'
import type { Table } from '../support/report.ts'
import type { StorageServer } from './engines.ts'
import { handleAll } from './sizes.ts'

const KEPT = flags.quick ? 10_000 : 1_000_000
const EXPIRED = flags.quick ? 5_000 : 50_000
const SAMPLE = 1_000
const DAY_SECONDS = 86_400

export interface PruningRow {
  readonly kept: number
  readonly deleted: number
  readonly milliseconds: number
  readonly serverMs: number
}

/** How long PostgreSQL takes to delete what completed long ago, which a worker has it do once a minute. */
export async function measurePruning(server: StorageServer): Promise<PruningRow[]> {
  const place = server.newPlace()
  if (place.engine !== 'postgres') return []
  const { connectionString, schema } = place
  await using inbox = await openInbox(place)
  await putMany(inbox, 50, SAMPLE, createNotificationSource())
  await handleAll(place, inbox, SAMPLE)
  const client = new pg.Client(connectionString)
  await client.connect()

  /** Adds copies of the sample, as if they had been completed at a time. */
  async function copy(count: number, finishedAt: string): Promise<void> {
    await client.query(`
      with copies as materialized (
        select work.id, gen_random_uuid() as copy from "${schema}".work, generate_series(1, ${count / SAMPLE})
          where id in (select id from "${schema}".work limit ${SAMPLE})
      ), bodies as (
        insert into "${schema}".notification
        select copy, received_at, signature, client_id, subject, source, traceparent, body
          from copies join "${schema}".notification using (id)
      )
      insert into "${schema}".work (id, state, key, finished_at)
        select copy, state, key, ${finishedAt} from copies join "${schema}".work using (id)`)
    await server.catchUp()
  }

  async function prune(kept: number): Promise<PruningRow> {
    const [used, started] = [processorTimeOf(server.processId), performance.now()]
    const deleted = await inbox.prune({ olderThan: new Date(Date.now() - DAY_SECONDS * 1_000) })
    const milliseconds = performance.now() - started
    return { kept, deleted, milliseconds, serverMs: processorTimeOf(server.processId) - used }
  }

  try {
    await copy(KEPT, 'now()')
    // The first one fills the cache.
    await prune(KEPT)
    const reading = await prune(KEPT)
    await copy(EXPIRED, `now() - interval '1 year'`)
    return [reading, await prune(KEPT)]
  } finally {
    await client.end()
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

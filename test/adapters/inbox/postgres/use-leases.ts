import pg from 'pg'
import { afterEach, expect } from 'vitest'
import { Database } from '../../../../adapters/inbox/postgres/database.ts'
import { PostgresLeases } from '../../../../adapters/inbox/postgres/leases.ts'
import { createClaim } from '../../../../adapters/inbox/postgres/transaction.ts'
import type { Lease } from '../../../../src/inbox/lease-store.ts'
import { waitFor } from '../../../contracts/wait-for.ts'
import { connectionString, useDatabase } from './database.ts'

type Query = Database['query']

/** The real PostgreSQL, with workers whose calls can be made to fail. */
export function useLeases() {
  const database = useDatabase(true)
  const databases = new Map<PostgresLeases, Database>()
  const clients: pg.Client[] = []

  afterEach(async () => {
    // First, as what they lock keeps the others from ending.
    await Promise.all(clients.splice(0).map((client) => client.end()))
    await Promise.all([...databases.values()].map((each) => each.close()))
    databases.clear()
  })

  const databaseOf = (store: PostgresLeases) => databases.get(store) as Database

  return {
    ...database,
    /** The lease store of a worker. */
    async openStore(onLost = () => {}): Promise<PostgresLeases> {
      const own = new Database({ connectionString, schema: database.schema, create: true, max: 4 })
      const store = new PostgresLeases(own, true, () => {})
      databases.set(store, own)
      await store.open(onLost)
      return store
    },
    /** A connection of the application. */
    async connect(): Promise<pg.Client> {
      const client = new pg.Client({ connectionString })
      clients.push(client)
      await client.connect()
      return client
    },
    lease: (store: PostgresLeases): Promise<Lease> =>
      waitFor(async () => (await store.settleAndLease([], 1))[0]),
    /** Completes an entry as a transaction of the application does. */
    claim: (store: PostgresLeases, { idempotencyKey }: Lease) =>
      createClaim(databaseOf(store), () => store.workerId)((text) => databaseOf(store).query(text))(
        idempotencyKey,
      ),
    /** Fails a call of a worker, whatever has become of its query. */
    async loseCall(
      store: PostgresLeases,
      send: (ask: () => Promise<unknown>) => Promise<unknown>,
      ...call: Parameters<PostgresLeases['settleAndLease']>
    ): Promise<void> {
      const own = databaseOf(store)
      const { query } = own
      const lost = async (...args: Parameters<Query>) => {
        await send(() => query(...args))
        throw new Error('lost')
      }
      Object.assign(own, { query: lost })
      await expect(store.settleAndLease(...call)).rejects.toThrow('lost')
      Object.assign(own, { query })
    },
  }
}

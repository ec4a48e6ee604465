import { DatabaseSync } from 'node:sqlite'
import { PrismaPg } from '@prisma/adapter-pg'
import Database from 'better-sqlite3'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import knex from 'knex'
import { Kysely, sql as kyselySql, PostgresDialect } from 'kysely'
import { DataSource } from 'typeorm'
import type { TransactionOption } from '../../src/index.ts'
import { describeWithService, POSTGRES } from '../contracts/service.ts'
import { PrismaClient } from './prisma/generated/client.ts'
import { createPostgres, createSqlite } from './recipe-databases.ts'
import { describeRecipe, type OpenedRecipe } from './recipe-suite.ts'
import * as forBetterSqlite3 from './recipes/better-sqlite3.ts'
import * as forDrizzle from './recipes/drizzle.ts'
import * as forKnex from './recipes/knex.ts'
import * as forKysely from './recipes/kysely.ts'
import * as forNodeSqlite from './recipes/node-sqlite.ts'
import * as forPg from './recipes/pg.ts'
import { createPool } from './recipes/pool.ts'
import * as forPrisma from './recipes/prisma.ts'
import * as forTypeorm from './recipes/typeorm.ts'

/** A library, connected to a database. The handlers write with what the recipe gives them as `context.tx`. */
type Library<Tx> = Pick<OpenedRecipe<Tx>, 'transaction' | 'write'> & { readonly disconnect: () => unknown }

/** A function, so that the type of `tx` is inferred from the transaction, as in `createReceiver`. */
function connected<Tx>(
  transaction: TransactionOption<Tx>,
  write: (tx: Tx, name: string) => unknown,
  disconnect: () => unknown,
): Library<Tx> {
  return { transaction, write, disconnect }
}

function describePostgres<Tx>(
  library: string,
  connect: (url: string) => Library<Tx> | Promise<Library<Tx>>,
): void {
  describeRecipe(library, 'server', async () => {
    const { url, committed, interrupt, drop } = await createPostgres(
      `payhook_effects_${library.toLowerCase()}`,
    )
    const { disconnect, ...recipe } = await connect(url)
    const close = async () => {
      await disconnect()
      await drop()
    }
    return { ...recipe, committed, interrupt, close }
  })
}

function describeSqlite<Tx>(library: string, connect: (path: string) => Library<Tx>): void {
  describeRecipe(library, 'file', async () => {
    const { path, committed, drop } = createSqlite()
    const { disconnect, ...recipe } = connect(path)
    const close = async () => {
      disconnect()
      drop()
    }
    return { ...recipe, committed, close }
  })
}

const INSERT = 'insert into effects values ($1)'

await describeWithService('PostgreSQL', POSTGRES, () => {
  describePostgres('pg', (connectionString) => {
    const pool = createPool(connectionString)
    return connected(
      forPg.createTransaction(pool),
      (tx, name) => tx.query(INSERT, [name]),
      () => pool.end(),
    )
  })

  describePostgres('Drizzle', (connectionString) => {
    const pool = createPool(connectionString)
    return connected(
      forDrizzle.createTransaction(drizzle({ client: pool })),
      (tx, name) => tx.execute(sql`insert into effects values (${name})`),
      () => pool.end(),
    )
  })

  describePostgres('Prisma', (connectionString) => {
    const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString }) })
    return connected(
      forPrisma.createTransaction(prisma),
      (tx, name) => tx.$executeRaw`insert into effects values (${name})`,
      () => prisma.$disconnect(),
    )
  })

  describePostgres('Kysely', (connectionString) => {
    const db = new Kysely<forKysely.Database>({
      dialect: new PostgresDialect({ pool: createPool(connectionString) }),
    })
    return connected(
      forKysely.createTransaction(db),
      (tx, name) => kyselySql`insert into effects values (${name})`.execute(tx),
      () => db.destroy(),
    )
  })

  describePostgres('Knex', (connection) => {
    const db = knex({ client: 'pg', connection })
    return connected(
      forKnex.createTransaction(db),
      (tx, name) => tx('effects').insert({ name }),
      () => db.destroy(),
    )
  })

  describePostgres('TypeORM', async (url) => {
    const dataSource = await new DataSource({ type: 'postgres', url }).initialize()
    return connected(
      forTypeorm.createTransaction(dataSource),
      (tx, name) => tx.query(INSERT, [name]),
      () => dataSource.destroy(),
    )
  })
})

describeSqlite('node:sqlite', (path) => {
  const db = new DatabaseSync(path)
  return connected(
    forNodeSqlite.createTransaction(db),
    (tx, name) => tx.prepare('insert into effects values (?)').run(name),
    () => db.close(),
  )
})

describeSqlite('better-sqlite3', (path) => {
  const db = new Database(path)
  return connected(
    forBetterSqlite3.createTransaction(db),
    (tx, name) => tx.prepare('insert into effects values (?)').run(name),
    () => db.close(),
  )
})

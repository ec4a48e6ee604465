import { PrismaPg } from '@prisma/adapter-pg'
import { sql } from 'drizzle-orm'
import knex from 'knex'
import { Kysely, sql as kyselySql, PostgresDialect } from 'kysely'
import { DataSource } from 'typeorm'
import type { PostgresInbox } from '../../adapters/inbox/postgres/postgres-inbox.ts'
import type { TransactionOption } from '../../src/index.ts'
import { PrismaClient } from './prisma-client.ts'
import type { createPostgres } from './recipe-databases.ts'
import { connected, describeRecipe, type Library } from './recipe-suite.ts'
import * as forDrizzle from './recipes/drizzle.ts'
import { withDrizzle, withKnex, withKysely, withPrisma, withTypeorm } from './recipes/inbox-claim.ts'
import * as forKnex from './recipes/knex.ts'
import * as forKysely from './recipes/kysely.ts'
import * as forPg from './recipes/pg.ts'
import { createPool } from './recipes/pool.ts'
import * as forPrisma from './recipes/prisma.ts'
import * as forTypeorm from './recipes/typeorm.ts'

const INSERT = 'insert into effects values ($1)'

/** Describes one of the libraries, whatever the type of its transactions. */
type Describe<Arguments extends unknown[]> = <Tx>(
  name: string,
  connect: (...given: Arguments) => Promise<Library<Tx>>,
) => void

/** A library with its two recipes: receipts, and a claim of the inbox. */
function library<Client, Tx>(given: {
  readonly name: string
  readonly open: (url: string) => Client | Promise<Client>
  readonly close: (client: Client) => unknown
  readonly write: (tx: Tx, effect: string) => unknown
  readonly withReceipts: (client: Client) => TransactionOption<Tx>
  readonly withClaim: (client: Client, inbox: PostgresInbox) => TransactionOption<Tx>
}) {
  const { name, open, close, write, withReceipts, withClaim } = given
  const connect = async (url: string, transactionOf: (client: Client) => TransactionOption<Tx>) => {
    const client = await open(url)
    return connected(transactionOf(client), write, () => close(client))
  }
  return {
    describeReceipts: (describe: Describe<[url: string]>) =>
      describe(name, (url) => connect(url, withReceipts)),
    describeClaim: (describe: Describe<[url: string, inbox: PostgresInbox]>) =>
      describe(name, (url, inbox) => connect(url, (client) => withClaim(client, inbox))),
  }
}

const LIBRARIES = [
  library({
    name: 'pg',
    open: createPool,
    close: (pool) => pool.end(),
    write: (tx, name) => tx.query(INSERT, [name]),
    withReceipts: forPg.createTransaction,
    withClaim: (_pool, inbox) => inbox.transaction,
  }),
  library({
    name: 'Drizzle',
    open: createPool,
    close: (pool) => pool.end(),
    write: (tx, name) => tx.execute(sql`insert into effects values (${name})`),
    withReceipts: forDrizzle.createTransaction,
    withClaim: withDrizzle,
  }),
  library({
    name: 'Prisma',
    open: (connectionString) => new PrismaClient({ adapter: new PrismaPg({ connectionString }) }),
    close: (prisma) => prisma.$disconnect(),
    write: (tx, name) => tx.$executeRaw`insert into effects values (${name})`,
    withReceipts: forPrisma.createTransaction,
    withClaim: withPrisma,
  }),
  library({
    name: 'Kysely',
    open: (url) =>
      new Kysely<forKysely.Database>({ dialect: new PostgresDialect({ pool: createPool(url) }) }),
    close: (db) => db.destroy(),
    write: (tx, name) => kyselySql`insert into effects values (${name})`.execute(tx),
    withReceipts: forKysely.createTransaction,
    withClaim: withKysely,
  }),
  library({
    name: 'Knex',
    open: (connection) => knex({ client: 'pg', connection }),
    close: (db) => db.destroy(),
    write: (tx, name) => tx('effects').insert({ name }),
    withReceipts: forKnex.createTransaction,
    withClaim: withKnex,
  }),
  library({
    name: 'TypeORM',
    open: (url) => new DataSource({ type: 'postgres', url }).initialize(),
    close: (dataSource) => dataSource.destroy(),
    write: (tx, name) => tx.query(INSERT, [name]),
    withReceipts: forTypeorm.createTransaction,
    withClaim: withTypeorm,
  }),
]

export function describeClaims(describe: Describe<[url: string, inbox: PostgresInbox]>): void {
  for (const { describeClaim } of LIBRARIES) describeClaim(describe)
}

/** The recipes with receipts, each with a schema of its own. */
export function describePostgresRecipes(create: typeof createPostgres): void {
  for (const { describeReceipts } of LIBRARIES)
    describeReceipts((name, connect) =>
      describeRecipe(name, 'server', async () => {
        const { url, drop, ...database } = await create()
        const { disconnect, ...recipe } = await connect(url)
        const close = async () => {
          await disconnect()
          await drop()
        }
        return { ...recipe, ...database, close }
      }),
    )
}

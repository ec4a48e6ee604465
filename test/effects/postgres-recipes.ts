import { PrismaPg } from '@prisma/adapter-pg'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import knex from 'knex'
import { Kysely, sql as kyselySql, PostgresDialect } from 'kysely'
import { DataSource } from 'typeorm'
import { PrismaClient } from './prisma/generated/client.ts'
import type { createPostgres } from './recipe-databases.ts'
import { connected, describeRecipe, type Library } from './recipe-suite.ts'
import * as forDrizzle from './recipes/drizzle.ts'
import * as forKnex from './recipes/knex.ts'
import * as forKysely from './recipes/kysely.ts'
import * as forPg from './recipes/pg.ts'
import { createPool } from './recipes/pool.ts'
import * as forPrisma from './recipes/prisma.ts'
import * as forTypeorm from './recipes/typeorm.ts'

const INSERT = 'insert into effects values ($1)'

/** The recipes for PostgreSQL, each with a schema of its own. */
export function describePostgresRecipes(create: typeof createPostgres): void {
  function describePostgres<Tx>(
    library: string,
    connect: (url: string) => Library<Tx> | Promise<Library<Tx>>,
  ): void {
    describeRecipe(library, 'server', async () => {
      const { url, drop, ...database } = await create()
      const { disconnect, ...recipe } = await connect(url)
      const close = async () => {
        await disconnect()
        await drop()
      }
      return { ...recipe, ...database, close }
    })
  }

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
}

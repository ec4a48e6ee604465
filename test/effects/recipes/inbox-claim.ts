import { sql as drizzleSql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import type { Knex } from 'knex'
import { type Kysely, sql as kyselySql } from 'kysely'
import type { Pool } from 'pg'
import type { DataSource } from 'typeorm'
import type { PostgresInbox } from '../../../adapters/inbox/postgres/postgres-inbox.ts'
import type { RunHandlers } from '../../../src/index.ts'
import type { PrismaClient } from '../prisma-client.ts'

export const withDrizzle = (pool: Pool, inbox: PostgresInbox) => async (run: RunHandlers) => {
  const client = await pool.connect()
  let isCommitted = false
  try {
    const ran = await drizzle({ client }).transaction(async (tx) => {
      const claim = inbox.claim((text) => tx.execute(drizzleSql.raw(text)))
      const ran = await run(tx, claim)
      await tx.execute(drizzleSql`select 1`) // fails if a handler ignored the error of a statement
      return ran
    })
    isCommitted = true
    return ran
  } finally {
    client.release(!isCommitted) // Drizzle may leave the transaction open
  }
}

export const withPrisma = (prisma: PrismaClient, inbox: PostgresInbox) => (run: RunHandlers) =>
  prisma.$transaction(
    async (tx) => {
      const claim = inbox.claim((text) => tx.$queryRawUnsafe(text))
      const ran = await run(tx, claim)
      await tx.$executeRaw`select 1` // fails if a handler ignored the error of a statement
      return ran
    },
    { maxWait: 10_000, timeout: 30_000 }, // by default, 2 and 5 seconds
  )

export const withKysely =
  <Tables>(db: Kysely<Tables>, inbox: PostgresInbox) =>
  (run: RunHandlers) =>
    db.transaction().execute((tx) => {
      const claim = inbox.claim((text) => kyselySql.raw(text).execute(tx))
      return run(tx, claim)
    })

export const withKnex = (knex: Knex, inbox: PostgresInbox) => (run: RunHandlers) =>
  knex.transaction(async (tx) => {
    const claim = inbox.claim((text) => tx.raw(text))
    const ran = await run(tx, claim)
    await tx.raw('select 1') // fails if a handler ignored the error of a statement
    return ran
  })

export const withTypeorm = (dataSource: DataSource, inbox: PostgresInbox) => (run: RunHandlers) =>
  dataSource.transaction(async (tx) => {
    const claim = inbox.claim((text) => tx.query(text))
    const ran = await run(tx, claim)
    await tx.query('select 1') // fails if a handler ignored the error of a statement
    return ran
  })

import { DatabaseSync } from 'node:sqlite'
import Database from 'better-sqlite3'
import { describeWithService, POSTGRES } from '../contracts/service.ts'
import { describePostgresRecipes } from './postgres-recipes.ts'
import { createPostgres, createSqlite } from './recipe-databases.ts'
import { connected, describeRecipe, type Library } from './recipe-suite.ts'
import * as forBetterSqlite3 from './recipes/better-sqlite3.ts'
import * as forNodeSqlite from './recipes/node-sqlite.ts'

function describeSqlite<Tx>(library: string, connect: (path: string) => Library<Tx>): void {
  describeRecipe(library, 'file', async () => {
    const { path, drop, ...database } = createSqlite()
    const { disconnect, ...recipe } = connect(path)
    const close = async () => {
      disconnect()
      drop()
    }
    return { ...recipe, ...database, close }
  })
}

await describeWithService('PostgreSQL', POSTGRES, () => describePostgresRecipes(createPostgres))

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

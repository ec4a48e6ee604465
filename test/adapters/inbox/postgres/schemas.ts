import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { POSTGRES } from '../../../contracts/service.ts'

export function newSchema(): string {
  return `payhook_test_${randomUUID().replaceAll('-', '')}`
}

export async function dropSchema(schema: string): Promise<void> {
  const client = new pg.Client({ connectionString: POSTGRES.href })
  await client.connect()
  await client.query(`drop schema if exists ${schema} cascade`)
  await client.end()
}

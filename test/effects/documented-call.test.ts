import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'

const page = readFileSync(new URL('../../docs/exactly-once.md', import.meta.url), 'utf8')
const [, code = ''] = /## Calls to other services\n.*?```ts\n(.*?)```/s.exec(page) ?? []

it('asks for one credit note, however many notifications find the payment cancelled', async () => {
  const keys: string[] = []
  async function fetch(_url: string, { headers }: { headers: Record<string, string> }) {
    keys.push(`${headers['idempotency-key']}`)
    return { ok: true }
  }
  const creditNote = new Function('fetch', stripTypeScriptTypes(code).replace('export', 'return'))(fetch)
  for (const [idempotencyKey, status] of ['Sent', 'Cancelled', 'Cancelled'].entries())
    await creditNote({ idempotencyKey, current: { id: '48121', status } })
  expect(keys).toEqual(['credit-note:48121', 'credit-note:48121'])
})

it('writes what is newer, or as new as its times can tell, over what is older', () => {
  const [upsert = ''] = /insert into payments \(id, status, read_at\)[^`]*/.exec(page) ?? []
  const db = new DatabaseSync(':memory:')
  db.exec('create table payments (id text primary key, status text, read_at text)')
  for (const [status, time] of [
    ['Sent', '14:00:01Z'],
    ['Complete', '14:00:01Z'],
    ['InProgress', '14:00:00Z'],
  ] as const)
    db.prepare(upsert).run({ $1: '48121', $2: status, $3: time })
  expect(db.prepare('select status from payments').get()).toEqual({ status: 'Complete' })
})

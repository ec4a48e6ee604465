import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
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

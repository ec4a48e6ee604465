import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { createSqliteInbox } from '../../adapters/inbox/sqlite/sqlite-inbox.ts'
import { createReceiver, type Receiver } from '../../src/index.ts'
import { createNotification, handled } from '../../src/testing/index.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { createTransaction } from './recipes/node-sqlite.ts'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const [, code = ''] = /\*\*With payhook\*\*.*?```js\n(.*?)```/s.exec(read('../../site/home.md')) ?? []

it('posts a payment once, when it is complete, however many notifications it causes', async () => {
  const folder = temporaryFolder()
  const inbox = createSqliteInbox({ path: join(folder, 'inbox.db'), oneAtATime: true, concurrency: 1 })
  onTestFinished(() => inbox.close())
  const db = new DatabaseSync(join(folder, 'ledger.db'))
  onTestFinished(() => db.close())
  db.exec(`${read('recipes/sqlite.sql')}; create table ledger (payment text, amount text, currency text)`)
  const query = (insert: string, values: string[]) => db.prepare(insert).run(...values)
  const scope = {
    INSERT: 'insert into ledger values (?, ?, ?)',
    options: { clientId: 'my-client-id', callbackToken: false, inbox },
    createReceiver,
    transaction: createTransaction(Object.assign(db, { query })),
    readPayment: () => ({ id: '48121', status, amount: { number: '1250.5', currency: 'USD' } }),
  }
  let status = 'Sent'
  const receiver: Receiver = new Function(...Object.keys(scope), `${code}; return receiver`)(
    ...Object.values(scope),
  )
  await receiver.start()

  async function notify(statuses: string[]): Promise<void> {
    for (const each of statuses) {
      const data = { id: '48121', status: each }
      const clientId = 'my-client-id'
      await receiver.receive(createNotification('INBOUND_PAYMENT_STATUS_UPDATED', { clientId, data }))
    }
    await handled(inbox)
  }
  await notify(['Drafted', 'Sent'])
  expect(db.prepare('select * from ledger').all()).toEqual([])
  status = 'Complete'
  await notify(['PendingAuth', 'Authorized', 'Complete'])
  expect(db.prepare('select * from ledger').all()).toEqual([
    { payment: '48121', amount: '1250.5', currency: 'USD' },
  ])
})

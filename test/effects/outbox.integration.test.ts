import { readFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { describeWithService, POSTGRES } from '../contracts/service.ts'
import { createDirectReceiver } from './direct-inbox.ts'
import { createPostgres } from './recipe-databases.ts'
import { queueEmail, sendEmails } from './recipes/outbox.ts'
import { createTransaction } from './recipes/pg.ts'
import { createPool } from './recipes/pool.ts'

async function openOutbox() {
  const database = await createPostgres()
  const pool = createPool(database.url)
  onTestFinished(async () => {
    await pool.end()
    await database.drop()
  })
  await pool.query(readFileSync(new URL('recipes/outbox.sql', import.meta.url), 'utf8'))
  return pool
}

await describeWithService('PostgreSQL', POSTGRES, () => {
  it('sends an email once for its key if handlers are committed, again with that if it is not recorded', async () => {
    const pool = await openOutbox()
    const { receiver, attempt } = createDirectReceiver({ transaction: createTransaction(pool) })
    receiver.onAny(async (_event, context) => {
      await queueEmail(context, 'paid:1', { subject: `Attempt ${context.attempt}` })
      if (context.attempt === 1) throw new Error('out of stock')
    })
    await expect(attempt()).rejects.toThrow('out of stock')
    await attempt('1', { attempt: 2 })
    // Another notification that finds the payment complete.
    await attempt('2', { attempt: 2 })

    const sent: unknown[] = []
    const send = async (...email: unknown[]) => void sent.push(email)
    const diesAfterSending = async (...email: unknown[]) => {
      await send(...email)
      throw new Error('killed')
    }
    await expect(sendEmails(pool, diesAfterSending)).rejects.toThrow('killed')
    await sendEmails(pool, send)
    await sendEmails(pool, send)
    const email = [{ subject: 'Attempt 2' }, 'paid:1']
    expect(sent).toEqual([email, email])
  })

  it('sends each email once although two processes overlap', async () => {
    const pool = await openOutbox()
    for (const key of ['1', '2']) await pool.query("insert into outbox (key, email) values ($1, '{}')", [key])

    const { promise: bothSend, resolve } = Promise.withResolvers<void>()
    const sent: string[] = []
    const send = async (_email: object, key: string) => {
      if (sent.push(key) === 2) resolve()
      await bothSend
    }
    await Promise.all([sendEmails(pool, send), sendEmails(pool, send)])
    expect(sent.sort()).toEqual(['1', '2'])
  })

  it('sends the other emails although one always fails', async () => {
    const pool = await openOutbox()
    for (const key of ['1', '2', '3'])
      await pool.query("insert into outbox (key, email) values ($1, '{}')", [key])

    const sent: string[] = []
    const send = async (_email: object, key: string) => {
      if (key === '1') throw new Error('no such address')
      sent.push(key)
    }
    for (let runs = 0; runs < 100; runs++) await sendEmails(pool, send).catch(() => {})
    expect(sent.sort()).toEqual(['2', '3'])
  })
})

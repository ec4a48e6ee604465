import type { Pool, PoolClient } from 'pg'
import type { WebhookContext } from '../../../src/index.ts'

/** Called by a handler: sends an email once for each key, such as `paid:48121`, after the commit. */
export async function queueEmail({ tx }: WebhookContext<PoolClient>, key: string, email: object) {
  await tx.query('insert into outbox (key, email) values ($1, $2) on conflict do nothing', [key, email])
}

/** Called every few seconds, in any number of processes. Your provider gets the key as its Idempotency-Key. */
export async function sendEmails(pool: Pool, send: (email: object, key: string) => Promise<unknown>) {
  // Locked while it is sent, so that another process takes another one. Any of them, as one may fail forever.
  const take =
    'select key, email from outbox where sent_at is null order by random() limit 1 for update skip locked'
  const client = await pool.connect()
  let isMore = true
  try {
    while (isMore) {
      await client.query('begin')
      const { rows } = await client.query(take)
      for (const { key, email } of rows) {
        await send(email, key)
        await client.query('update outbox set sent_at = now() where key = $1', [key])
      }
      await client.query('commit')
      isMore = rows.length > 0
    }
  } finally {
    client.release(isMore) // after an error, ends the connection
  }
}

import type { Pool, PoolClient } from 'pg'
import type { WebhookContext } from '../../../src/index.ts'

/** Called by a handler: the email is sent if the transaction is committed. */
export async function queueEmail({ tx, idempotencyKey }: WebhookContext<PoolClient>, email: object) {
  await tx.query('insert into outbox (key, email) values ($1, $2)', [idempotencyKey, email])
}

/** Called every few seconds, in any number of processes. Your provider gets the key as its Idempotency-Key. */
export async function sendEmails(pool: Pool, send: (email: object, key: string) => Promise<unknown>) {
  const { rows } = await pool.query('select key, email from outbox where sent_at is null limit 100')
  for (const { key, email } of rows) {
    await send(email, key)
    await pool.query('update outbox set sent_at = now() where key = $1', [key])
  }
}

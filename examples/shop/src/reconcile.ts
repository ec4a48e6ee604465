import { reconcile } from 'payhook'
import { client, clientId } from './client.ts'
import { pool } from './database.ts'
import { inbox } from './receiver.ts'

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000)
const toDate = (time: Date) => time.toISOString().slice(0, 10)

interface Page {
  content: { status: string; payer: { payerAccountId: unknown }; timeUpdated: string }[]
  last: boolean
}

/** Those of the last two months. Path, query and fields are those of the sandbox: replace them with yours. */
async function* payments() {
  const { accountId } = await client.token()
  if (!accountId) throw new Error('the token names no account')
  const query = { startDate: toDate(inDays(-60)), endDate: toDate(inDays(1)) }
  for (let pageNumber = 0, last = false; !last; pageNumber++) {
    const path = '/svc/v1.2/payments/report'
    const page = (await client.request({
      method: 'GET',
      path,
      query: { ...query, pageNumber },
    })) as unknown as Page
    last = page.last
    for (const { payer, timeUpdated: updatedAt, ...payment } of page.content) {
      if (payment.status === 'Drafted') continue // the service does not notify of it
      const data = { ...payment, payerAccountId: payer.payerAccountId } // where a notification has it
      if (String(data.payerAccountId) === accountId) continue // we are not the payee
      yield { kind: 'INBOUND_PAYMENT_STATUS_UPDATED', data, updatedAt }
    }
  }
}

try {
  const graceMs = Number(process.env.GRACE_MS ?? 60_000)
  const { checked, missed, recovered } = await reconcile({
    inbox,
    clientId,
    list: payments(),
    since: inDays(-2),
    graceMs,
  })
  console.log(`${checked} checked, ${missed} missed, ${recovered} recovered`)
} finally {
  await inbox.close()
  await pool.end()
}

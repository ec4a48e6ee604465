import { withCallbackToken } from 'payhook'
import { formatSyncResult } from 'payhook/client'
import { app } from './app.ts'
import { client } from './client.ts'
import { createTables, pool } from './database.ts'
import { inbox, receiver } from './receiver.ts'

// Throws without PUBLIC_URL.
const url = `${process.env.PUBLIC_URL}/webhooks`
const callbackUrl = withCallbackToken(url, process.env.PAYHOOK_CALLBACK_TOKEN!)
const port = process.env.PORT ?? 3000

await createTables()
await receiver.start() // from here on the handlers run
const server = app.listen(port, async (error) => {
  if (error) throw error
  console.log(`listening on port ${port}`)
  // What is registered stays registered if this fails.
  await client.webhooks
    .sync([{ event: 'INBOUND_PAYMENT_STATUS_UPDATED', callbackUrl }])
    .then((result) => console.log(formatSyncResult(result)), console.error)
})

for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, () => {
    server.maxRequestsPerSocket = 1 // closes the connections that a proxy keeps open
    server.close(async () => {
      await inbox.close() // waits for running handlers
      await pool.end()
    })
  })
}

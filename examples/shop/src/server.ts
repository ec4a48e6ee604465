import type { AddressInfo } from 'node:net'
import { withCallbackToken } from 'payhook'
import { formatSyncResult } from 'payhook/client'
import { app } from './app.ts'
import { client } from './client.ts'
import { createTables, pool } from './database.ts'
import { inbox, receiver } from './receiver.ts'

await createTables()
await receiver.start() // from here on the handlers run
const server = app.listen(process.env.PORT ?? 3000, async (error) => {
  if (error) throw error
  const { port } = server.address() as AddressInfo
  console.log(`listening on port ${port}`)
  const url = process.env.PUBLIC_URL ?? `http://localhost:${port}`
  const callbackUrl = withCallbackToken(`${url}/webhooks`, process.env.PAYHOOK_CALLBACK_TOKEN!)
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

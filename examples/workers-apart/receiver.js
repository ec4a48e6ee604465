import { createServer } from 'node:http'
import { createReceiver } from 'payhook'
import { receiveWebhooks } from 'payhook/node'
import { inbox } from './inbox.js'

const receiver = createReceiver({
  clientId: process.env.PAYHOOK_CLIENT_ID,
  callbackToken: process.env.PAYHOOK_CALLBACK_TOKEN,
  inbox,
  logger: console,
}) // and no start(): it only stores

const server = createServer(receiveWebhooks(receiver)).listen(process.env.PORT ?? 3000, () => {
  console.log(`listening on port ${server.address().port}`)
})

for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, () => {
    server.maxRequestsPerSocket = 1 // closes the connections that a proxy keeps open
    server.close(() => inbox.close())
  })
}

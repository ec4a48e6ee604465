import { receiveWebhooks } from 'payhook/fetch'
import { createEventReceiver } from './event-receiver.mjs'

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: receiveWebhooks(createEventReceiver(JSON.parse(process.env.OPTIONS))),
})
process.stdout.write(`${server.port}\n`)

import { env } from 'cloudflare:workers'
import { Hono } from 'hono'
import { createReceiver, parse } from 'payhook'
import { receiveWebhooks } from 'payhook/fetch'
import { updateLedger } from './update-ledger.js'

// An object with these three methods is an inbox.
const inbox = {
  async put({ rawBody }) {
    await env.NOTIFICATIONS.send(rawBody, { contentType: 'bytes' })
    return 'stored'
  },
  async start() {},
  async stop() {},
}

const receive = receiveWebhooks(
  createReceiver({
    clientId: env.PAYHOOK_CLIENT_ID,
    callbackToken: env.PAYHOOK_CALLBACK_TOKEN,
    inbox,
    logger: console,
  }),
)

const app = new Hono()
app.post('/webhooks', (c) => receive(c.req.raw))
app.get('/', (c) => c.text('everything else'))

async function handle(message) {
  try {
    const event = parse(message.body) // verified before it was stored
    if (event.type === 'UNRECOGNIZED' && event.issues[0]?.code !== 'unknown_kind')
      throw new Error(`${event.kind} is not as expected`) // kept
    if (event.type === 'INBOUND_PAYMENT_STATUS_UPDATED') await updateLedger(event.data)
    message.ack()
  } catch (error) {
    console.error(message.id, error)
    message.retry({ delaySeconds: Math.min(2 ** (message.attempts - 1), 3600) }) // this one, not the whole batch
  }
}

export default {
  fetch: app.fetch,
  async queue({ messages }) {
    await Promise.all(messages.map(handle))
  },
}

import { receiveWebhooks } from 'payhook/fetch'
import { createEventReceiver } from './event-receiver.mjs'

Deno.serve(
  {
    port: 0,
    hostname: '127.0.0.1',
    onListen: ({ port }) => Deno.stdout.write(new TextEncoder().encode(`${port}\n`)),
  },
  receiveWebhooks(createEventReceiver(JSON.parse(Deno.env.get('OPTIONS')))),
)

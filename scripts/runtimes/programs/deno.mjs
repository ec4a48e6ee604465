import { verifyWebhook } from 'payhook/fetch'
import { toReply } from './to-reply.mjs'

const verify = verifyWebhook(JSON.parse(Deno.env.get('OPTIONS')))
Deno.serve(
  {
    port: 0,
    hostname: '127.0.0.1',
    onListen: ({ port }) => Deno.stdout.write(new TextEncoder().encode(`${port}\n`)),
  },
  async (request) => {
    const { status, body } = await toReply(verify(request))
    return new Response(body, { status })
  },
)

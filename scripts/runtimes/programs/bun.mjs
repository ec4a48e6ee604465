import { verifyWebhook } from 'payhook/fetch'
import { toReply } from './to-reply.mjs'

const verify = verifyWebhook(JSON.parse(process.env.OPTIONS))
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async (request) => {
    const { status, body } = await toReply(verify(request))
    return new Response(body, { status })
  },
})
process.stdout.write(`${server.port}\n`)

import { verifyWebhook } from 'payhook/fetch'
import { toReply } from './to-reply.mjs'

let verify

export default {
  async fetch(request, env) {
    verify ??= verifyWebhook(JSON.parse(env.OPTIONS))
    const { status, body } = await toReply(verify(request))
    return new Response(body, { status })
  },
}

import { verifyWebhook } from 'payhook/fetch'
import { toReply } from './to-reply.mjs'

let verify

export default {
  async fetch(request, env) {
    verify ??= verifyWebhook({ clientId: JSON.parse(env.CLIENT_IDS) })
    const { status, body } = await toReply(verify(request))
    return new Response(body, { status })
  },
}

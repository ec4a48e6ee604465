import { verifyWebhook } from 'payhook/fetch'
import { toAnswer } from './answer.mjs'

let verify

export default {
  async fetch(request, env) {
    verify ??= verifyWebhook({ clientId: JSON.parse(env.CLIENT_IDS) })
    const { status, body } = await toAnswer(verify(request))
    return new Response(body, { status })
  },
}

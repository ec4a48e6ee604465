import { createServer } from 'node:http'
import { verifyWebhook } from 'payhook/node'
import { toReply } from './to-reply.mjs'

const verify = verifyWebhook(JSON.parse(process.env.OPTIONS))
const server = createServer(async (request, response) => {
  const { status, body } = await toReply(verify(request))
  response.writeHead(status).end(body)
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`))

import { createServer } from 'node:http'
import { verifyWebhook } from 'payhook/node'
import { toAnswer } from './answer.mjs'

const verify = verifyWebhook({ clientId: JSON.parse(process.env.CLIENT_IDS) })
const server = createServer(async (request, response) => {
  const { status, body } = await toAnswer(verify(request))
  response.writeHead(status).end(body)
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`))

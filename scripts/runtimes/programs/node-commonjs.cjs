const { createServer } = require('node:http')
const { isPayhookError } = require('payhook')
const { verifyWebhook } = require('payhook/node')

const verify = verifyWebhook(JSON.parse(process.env.OPTIONS))
const server = createServer(async (request, response) => {
  try {
    const { event } = await verify(request)
    response.end(JSON.stringify(event))
  } catch (error) {
    if (!isPayhookError(error)) throw error
    response.writeHead(error.status).end(JSON.stringify({ code: error.code }))
  }
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`))

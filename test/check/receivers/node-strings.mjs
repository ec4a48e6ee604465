// Collects the body as text, and takes the signature in any form, with the client id or the client secret.
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'

const [clientId, clientSecret] = process.argv.slice(2)
createServer((req, res) => {
  let body = ''
  req.on('data', (chunk) => {
    body += chunk
  })
  req.on('end', () => {
    const given = req.headersDistinct['access-signature']?.[0] ?? ''
    const isRight = [clientId, clientSecret].some((key) => {
      const digest = createHmac('sha256', key).update(body).digest()
      return given.toLowerCase().startsWith(digest.toString('hex')) || given === digest.toString('base64')
    })
    res.writeHead(isRight ? 200 : 401).end()
  })
}).listen(0, '127.0.0.1', function () {
  console.log(this.address().port)
})

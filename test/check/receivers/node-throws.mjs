// Compares without looking at the length, in an asynchronous listener: an exception ends the process.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'

const [clientId] = process.argv.slice(2)
createServer(async (req, res) => {
  const body = await buffer(req)
  const expected = createHmac('sha256', clientId).update(body).digest('hex')
  const given = req.headers['access-signature'] ?? ''
  const isRight = timingSafeEqual(Buffer.from(given), Buffer.from(expected))
  res.writeHead(isRight ? 200 : 401).end()
}).listen(0, '127.0.0.1', function () {
  console.log(this.address().port)
})

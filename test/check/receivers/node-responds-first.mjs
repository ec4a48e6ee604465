// Acknowledges before it verifies.
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'

const [clientId] = process.argv.slice(2)
createServer(async (req, res) => {
  const body = await buffer(req).catch(() => '')
  res.end()
  const expected = createHmac('sha256', clientId).update(body).digest('hex')
  if (req.headers['access-signature'] !== expected) console.error('forged')
}).listen(0, '127.0.0.1', function () {
  console.log(this.address().port)
})

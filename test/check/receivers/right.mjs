// A right receiver on node:http. Usage: node right.mjs CLIENT_ID CLIENT_SECRET TOKEN
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const [clientId, , token] = process.argv.slice(2)
const LIMIT = 1_048_576
const seen = new Set()

createServer(async (req, res) => {
  const reply = (status) => res.writeHead(status, status === 413 ? { connection: 'close' } : {}).end()
  if (req.method !== 'POST') return reply(405)
  if (token !== undefined && new URLSearchParams(req.url.split('?')[1]).get('token') !== token)
    return reply(401)
  const chunks = []
  let length = 0
  try {
    for await (const chunk of req) {
      chunks.push(chunk)
      length += chunk.length
      if (length > LIMIT) return reply(413)
    }
  } catch {
    return
  }
  const body = Buffer.concat(chunks)
  const signatures = req.headersDistinct['access-signature'] ?? []
  const expected = createHmac('sha256', clientId).update(body).digest()
  if (signatures.length !== 1 || !/^[0-9a-f]{64}$/.test(signatures[0])) return reply(401)
  if (!timingSafeEqual(expected, Buffer.from(signatures[0], 'hex'))) return reply(401)
  try {
    const { type, data } = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    if (typeof type !== 'string') return reply(400)
    seen.add(signatures[0])
    if (typeof data === 'string') JSON.parse(data)
  } catch {
    return reply(400)
  }
  reply(200)
}).listen(0, '127.0.0.1', function () {
  console.log(this.address().port)
})

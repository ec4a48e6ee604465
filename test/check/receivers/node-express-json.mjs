// Parses first, and verifies what a serializer makes of it. Unknown kinds are an exception.
import { createHmac } from 'node:crypto'
import express from 'express'

const [clientId] = process.argv.slice(2)
const HANDLERS = {
  ACCOUNT: () => {},
  PAYMENT: ({ id }) => Number.parseInt(id, 10),
  INVOICE: () => {},
  VBA: () => {},
  VIRTUAL: () => {},
}
const app = express()
app.use(express.json())
app.post('/', (req, res) => {
  const expected = createHmac('sha256', clientId).update(JSON.stringify(req.body)).digest('hex')
  if (req.get('access-signature') !== expected) return res.status(401).json({ expected })
  const [, family] = /(ACCOUNT|PAYMENT|INVOICE|VBA|VIRTUAL)/.exec(req.body.type) ?? []
  HANDLERS[family](JSON.parse(req.body.data))
  res.json({})
})
app.listen(0, '127.0.0.1', function () {
  console.log(this.address().port)
})

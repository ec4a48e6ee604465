import { createServer, type Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { receiveWebhooks } from '../../../adapters/http/fetch.ts'
import { readData } from '../../verify/contestants/envelope.ts'
import { floor } from '../../verify/contestants/floor.ts'
import { createBenchReceiver } from './payhook-receiver.ts'
import { received } from './reply.ts'

export function handWritten(): Server {
  const app = new Hono()
  app.post('/webhooks', async (context) => {
    const body = Buffer.from(await context.req.arrayBuffer())
    try {
      readData(floor.open(body, context.req.header()))
    } catch {
      return context.body(null, 401)
    }
    return context.json(received)
  })
  return serve(app)
}

export function payhook(): Server {
  const app = new Hono()
  const receive = receiveWebhooks(createBenchReceiver())
  app.post('/webhooks', (context) => receive(context.req.raw))
  return serve(app)
}

function serve(app: Hono): Server {
  return createServer(getRequestListener(app.fetch))
}

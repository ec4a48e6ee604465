import { createServer, type Server } from 'node:http'
import Koa from 'koa'
import { getRawBody } from 'raw-body'
import { receiveWebhooks } from '../../../adapters/http/koa.ts'
import { readData } from '../../verify/contestants/envelope.ts'
import { floor } from '../../verify/contestants/floor.ts'
import { createBenchReceiver } from './payhook-receiver.ts'
import { received } from './reply.ts'

export function rawBody(): Server {
  const app = new Koa()
  app.use(async (context) => {
    const body = await getRawBody(context.req, { limit: '1mb' })
    try {
      readData(floor.open(body, context.headers))
    } catch {
      context.status = 401
      return
    }
    context.body = received
  })
  return createServer(app.callback())
}

export function payhook(): Server {
  const app = new Koa()
  app.use(receiveWebhooks(createBenchReceiver(), { path: '/webhooks' }))
  return createServer(app.callback())
}

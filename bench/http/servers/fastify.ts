import type { Server } from 'node:http'
import fastify from 'fastify'
import { receiveWebhooks } from '../../../adapters/http/fastify.ts'
import { readData } from '../../verify/contestants/envelope.ts'
import { floor } from '../../verify/contestants/floor.ts'
import { createBenchReceiver } from './payhook-receiver.ts'
import { received } from './reply.ts'

export async function bufferParser(): Promise<Server> {
  const app = fastify()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body)
  })
  app.post('/webhooks', (request, reply) => {
    try {
      readData(floor.open(request.body as Buffer, request.headers))
    } catch {
      return void reply.code(401).send()
    }
    reply.send(received)
  })
  await app.ready()
  return app.server
}

export async function payhook(): Promise<Server> {
  const app = fastify()
  app.register(receiveWebhooks, { receiver: createBenchReceiver(), path: '/webhooks' })
  await app.ready()
  return app.server
}

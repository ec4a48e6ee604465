import { createServer, type Server } from 'node:http'
import express, { type RequestHandler } from 'express'
import { receiveWebhooks } from '../../../adapters/http/express.ts'
import { type Envelope, type Headers, readData } from '../../verify/contestants/envelope.ts'
import { createBenchReceiver } from './payhook-receiver.ts'
import { received } from './reply.ts'

/** Reads the body with `express.raw`, and verifies it by hand or with a library. */
export function raw(scheme: { open(body: Buffer, headers: Headers): Envelope }): Server {
  return serve(express.raw({ type: 'application/json', limit: '1mb' }), (request, response) => {
    try {
      readData(scheme.open(request.body, request.headers))
    } catch {
      return void response.sendStatus(401)
    }
    response.json(received)
  })
}

export function payhook(): Server {
  return serve(receiveWebhooks(createBenchReceiver()))
}

function serve(...handlers: RequestHandler[]): Server {
  return createServer(express().post('/webhooks', ...handlers))
}

import { createServer, type RequestListener, type Server } from 'node:http'
import { getRawBody } from 'raw-body'
import { receiveWebhooks } from '../../../adapters/http/node.ts'
import { readData, type Scheme } from '../../verify/contestants/envelope.ts'
import { floor } from '../../verify/contestants/floor.ts'
import { createBenchReceiver } from './payhook-receiver.ts'
import { accept, collect, reject } from './reply.ts'

export function handWritten(): Server {
  return createServer((request, response) => {
    collect(request, (body) => {
      try {
        readData(floor.open(body, request.headers))
      } catch {
        return reject(response)
      }
      accept(response)
    })
  })
}

export function rawBody(): Server {
  const receive: RequestListener = async (request, response) => {
    const body = await getRawBody(request, { limit: '1mb' })
    try {
      readData(floor.open(body, request.headers))
    } catch {
      return reject(response)
    }
    accept(response)
  }
  return createServer(receive)
}

/** The hand-written server, with another library instead of the floor. */
export function withScheme({ open }: Scheme): Server {
  return createServer((request, response) => {
    collect(request, async (body) => {
      try {
        readData(await open(body, request.headers))
      } catch {
        return reject(response)
      }
      accept(response)
    })
  })
}

export function payhook(): Server {
  return createServer(receiveWebhooks(createBenchReceiver()))
}

import { createServer } from 'node:http'
import express, { type ErrorRequestHandler } from 'express'
import fastify from 'fastify'
import Koa from 'koa'
import * as expressAdapter from '../adapters/http/express.ts'
import * as fastifyAdapter from '../adapters/http/fastify.ts'
import * as fetchAdapter from '../adapters/http/fetch.ts'
import * as koaAdapter from '../adapters/http/koa.ts'
import * as lambdaAdapter from '../adapters/http/lambda.ts'
import * as nodeAdapter from '../adapters/http/node.ts'
import type { PayhookError, VerifierOptions, Webhook } from '../src/index.ts'
import { type Mounts, toMounts } from './mounts.ts'

/** Called with every notification that was verified and parsed. */
export type Handle = (webhook: Webhook | undefined) => void

const RECEIVED = JSON.stringify({ received: true })
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }

/** A `verifyWebhook` in every framework. The applications respond as a receiver does. */
export async function mountVerifiers(options: VerifierOptions, handle: Handle): Promise<Mounts> {
  const servers = {
    node: createServer(verifyingNode(options, handle)),
    express: verifyingExpress(options, handle),
    koa: verifyingKoa(options, handle),
    fastify: await verifyingFastify(options, handle),
  }
  return toMounts(servers, verifyingFetch(options, handle), verifyingLambda(options, handle))
}

export function verifyingFetch(options: VerifierOptions, handle: Handle) {
  const verify = fetchAdapter.verifyWebhook(options)
  return async (request: Request) => {
    const { status, body } = await replyTo(verify(request), handle)
    return new Response(body, { status, headers: JSON_TYPE })
  }
}

export function verifyingLambda(options: VerifierOptions, handle: Handle) {
  const verify = lambdaAdapter.verifyWebhook(options)
  return async (event: lambdaAdapter.LambdaEvent) => {
    const { status, body } = await replyTo(verify(event), handle)
    return { statusCode: status, headers: JSON_TYPE, body, isBase64Encoded: false as const }
  }
}

async function replyTo(
  verified: Promise<Webhook>,
  handle: Handle,
): Promise<{ status: number; body: string }> {
  try {
    handle(await verified)
    return { status: 200, body: RECEIVED }
  } catch (error) {
    return toRejection(error)
  }
}

/** An error of the application, or of the framework, has no code that a target expects. */
function toRejection(error: unknown): { status: number; body: string } {
  const { status = 500, code = String(error) } = error as Partial<PayhookError>
  return { status, body: JSON.stringify({ code }) }
}

/** A listener for HTTP/1.1 and HTTP/2. */
export function verifyingNode(options: VerifierOptions, handle: Handle) {
  const verify = nodeAdapter.verifyWebhook(options)
  return async (request: nodeAdapter.NodeRequest, response: nodeAdapter.NodeResponse) => {
    const { status, body } = await replyTo(verify(request), handle)
    response.writeHead(status, { ...JSON_TYPE, 'content-length': String(body.length) })
    response.end(body)
  }
}

/** With a body parser behind it, which must not wait for the body. */
export function verifyingExpress(options: VerifierOptions, handle: Handle) {
  const onError: ErrorRequestHandler = (error, _request, response, _next) => {
    const { status, body } = toRejection(error)
    response.status(status).set(JSON_TYPE).end(body)
  }
  const app = express()
  app.use(expressAdapter.verifyWebhook(options), express.json(), (request, response) => {
    handle(request.webhook)
    response.set(JSON_TYPE).end(RECEIVED)
  })
  return createServer(app.use(onError))
}

export function verifyingKoa(options: VerifierOptions, handle: Handle) {
  const app = new Koa()
  // It prints the errors of its requests.
  app.silent = true
  app.use(async (context, next) => {
    try {
      await next()
    } catch (error) {
      Object.assign(context, toRejection(error))
    }
    context.set(JSON_TYPE)
  })
  app.use(koaAdapter.verifyWebhook(options) as Koa.Middleware)
  app.use((context) => {
    handle(context.state.webhook)
    context.body = RECEIVED
  })
  return createServer(app.callback())
}

export async function verifyingFastify(options: VerifierOptions, handle: Handle) {
  const app = fastify()
  app.setErrorHandler((error, _request, reply) => {
    const { status, body } = toRejection(error)
    return reply.code(status).headers(JSON_TYPE).send(body)
  })
  app.route({
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url: '/*',
    preParsing: fastifyAdapter.verifyWebhook(options),
    async handler(request, reply) {
      handle(request.webhook)
      return reply.headers(JSON_TYPE).send(RECEIVED)
    },
  })
  await app.ready()
  return app.server
}

import { createServer, type Server } from 'node:http'
import express from 'express'
import fastify from 'fastify'
import Koa from 'koa'
import * as expressAdapter from '../adapters/http/express.ts'
import * as fastifyAdapter from '../adapters/http/fastify.ts'
import * as fetchAdapter from '../adapters/http/fetch.ts'
import * as koaAdapter from '../adapters/http/koa.ts'
import * as lambdaAdapter from '../adapters/http/lambda.ts'
import * as nodeAdapter from '../adapters/http/node.ts'
import type { AnyReceiver } from '../src/receiver/receiver.ts'
import { LAMBDA_FORMS, overFetch, overHttp, overLambda, type Send } from './send.ts'

/** An application in every framework. */
export interface Mounts {
  readonly servers: readonly Server[]
  readonly sends: ReadonlyMap<string, Send>
}

/** A receiver in every framework. */
export async function mountReceiver(receiver: AnyReceiver): Promise<Mounts> {
  const koa = new Koa().use(koaAdapter.receiveWebhooks(receiver) as Koa.Middleware)
  // It prints the errors of its requests.
  koa.silent = true
  const app = fastify()
  await app.register(fastifyAdapter.receiveWebhooks, { receiver, path: '/*' })
  await app.ready()
  const servers = {
    node: createServer(nodeAdapter.receiveWebhooks(receiver)),
    express: createServer(express().use(expressAdapter.receiveWebhooks(receiver))),
    koa: createServer(koa.callback()),
    fastify: app.server,
  }
  return toMounts(servers, fetchAdapter.receiveWebhooks(receiver), lambdaAdapter.receiveWebhooks(receiver))
}

export function toMounts(
  servers: Readonly<Record<string, Server>>,
  onRequest: Parameters<typeof overFetch>[0],
  onEvent: Parameters<typeof overLambda>[0],
): Mounts {
  const lambdas = Object.entries(LAMBDA_FORMS).flatMap(([form, toEvent]): [string, Send][] => [
    [`lambda, ${form}`, overLambda(onEvent, toEvent, false)],
    [`lambda, ${form} with text`, overLambda(onEvent, toEvent, true)],
  ])
  const sends = new Map<string, Send>([
    ...Object.entries(servers).map(([name, server]): [string, Send] => [name, overHttp(server)]),
    ['fetch', overFetch(onRequest)],
    ...lambdas,
  ])
  return { servers: Object.values(servers), sends }
}

import type { Server } from 'node:http'

/** A server of the HTTP benchmark. */
export interface HttpContestant {
  readonly name: string
  /** The signing scheme that it expects. */
  readonly scheme: SchemeName
  /** payhook's target throughput, as a ratio to the first contestant. */
  readonly target?: number
  /** Creates the server, and loads only what this contestant uses. */
  readonly create: () => Promise<Server>
}

export type SchemeName = keyof typeof schemes

/** Loads a scheme. */
export const schemes = {
  floor: async () => (await import('../verify/contestants/floor.ts')).floor,
  stripe: async () => (await import('../verify/contestants/stripe.ts')).stripe,
  octokit: async () => (await import('../verify/contestants/octokit.ts')).octokit,
  standardWebhooks: async () => (await import('../verify/contestants/standard-webhooks.ts')).standardWebhooks,
}

const nodeHttp = () => import('./servers/node-http.ts')
const expressServers = () => import('./servers/express.ts')
const koaServers = () => import('./servers/koa.ts')
const fastifyServers = () => import('./servers/fastify.ts')
const honoServers = () => import('./servers/hono.ts')

/** In the order of the table. The others are compared with the first. */
export const httpContestants: readonly HttpContestant[] = [
  { name: 'node:http, by hand', scheme: 'floor', create: async () => (await nodeHttp()).handWritten() },
  { name: 'node:http + raw-body', scheme: 'floor', create: async () => (await nodeHttp()).rawBody() },
  {
    name: 'stripe on node:http',
    scheme: 'stripe',
    create: async () => (await nodeHttp()).withScheme(await schemes.stripe()),
  },
  {
    name: '@octokit/webhooks-methods on node:http',
    scheme: 'octokit',
    create: async () => (await nodeHttp()).withScheme(await schemes.octokit()),
  },
  {
    name: 'standardwebhooks on node:http',
    scheme: 'standardWebhooks',
    create: async () => (await nodeHttp()).withScheme(await schemes.standardWebhooks()),
  },
  {
    name: 'payhook on node:http',
    scheme: 'floor',
    target: 0.9,
    create: async () => (await nodeHttp()).payhook(),
  },
  {
    name: 'Express + express.raw',
    scheme: 'floor',
    create: async () => (await expressServers()).raw(await schemes.floor()),
  },
  {
    name: 'stripe on Express',
    scheme: 'stripe',
    create: async () => (await expressServers()).raw(await schemes.stripe()),
  },
  {
    name: 'payhook on Express',
    scheme: 'floor',
    target: 0.62,
    create: async () => (await expressServers()).payhook(),
  },
  { name: 'Koa + raw-body', scheme: 'floor', create: async () => (await koaServers()).rawBody() },
  {
    name: 'payhook on Koa',
    scheme: 'floor',
    target: 0.65,
    create: async () => (await koaServers()).payhook(),
  },
  {
    name: 'Fastify, buffer parser',
    scheme: 'floor',
    create: async () => (await fastifyServers()).bufferParser(),
  },
  {
    name: 'payhook on Fastify',
    scheme: 'floor',
    target: 0.8,
    create: async () => (await fastifyServers()).payhook(),
  },
  {
    name: 'Hono on @hono/node-server',
    scheme: 'floor',
    create: async () => (await honoServers()).handWritten(),
  },
  { name: 'payhook on Hono', scheme: 'floor', create: async () => (await honoServers()).payhook() },
]

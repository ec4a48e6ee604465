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
const withInbox = () => import('./servers/node-http-inbox.ts')

function contestant(
  name: string,
  create: HttpContestant['create'],
  more: Partial<HttpContestant> = {},
): HttpContestant {
  return { name, scheme: 'floor', create, ...more }
}

/** Another package on `node:http`. */
function onNodeHttp(name: string, scheme: SchemeName): HttpContestant {
  const create = async () => (await nodeHttp()).withScheme(await schemes[scheme]())
  return contestant(`${name} on node:http`, create, { scheme })
}

/** What verifies by hand or with a package, on Express. */
function onExpress(name: string, scheme: 'floor' | 'stripe'): HttpContestant {
  const create = async () => (await expressServers()).raw(await schemes[scheme]())
  return contestant(name, create, { scheme })
}

/** In the order of the table. The others are compared with the first. */
export const httpContestants: readonly HttpContestant[] = [
  contestant('node:http, by hand', async () => (await nodeHttp()).handWritten()),
  contestant('node:http + raw-body', async () => (await nodeHttp()).rawBody()),
  onNodeHttp('stripe', 'stripe'),
  onNodeHttp('@octokit/webhooks-methods', 'octokit'),
  onNodeHttp('standardwebhooks', 'standardWebhooks'),
  contestant('payhook on node:http', async () => (await nodeHttp()).payhook(), { target: 0.9 }),
  onExpress('Express + express.raw', 'floor'),
  onExpress('stripe on Express', 'stripe'),
  contestant('payhook on Express', async () => (await expressServers()).payhook(), { target: 0.62 }),
  contestant('Koa + raw-body', async () => (await koaServers()).rawBody()),
  contestant('payhook on Koa', async () => (await koaServers()).payhook(), { target: 0.65 }),
  contestant('Fastify, buffer parser', async () => (await fastifyServers()).bufferParser()),
  contestant('payhook on Fastify', async () => (await fastifyServers()).payhook(), { target: 0.8 }),
  contestant('Hono on @hono/node-server', async () => (await honoServers()).handWritten()),
  contestant('payhook on Hono', async () => (await honoServers()).payhook()),
]

/** With an inbox, in the order of the table. The others are compared with the first. */
export const inboxHttpContestants: readonly HttpContestant[] = [
  contestant('payhook without an inbox', async () => (await nodeHttp()).payhook()),
  contestant('node:sqlite as its inbox, a transaction each', async () =>
    (await withInbox()).handWritten('one each'),
  ),
  contestant('node:sqlite as its inbox, a transaction a turn', async () =>
    (await withInbox()).handWritten('one a turn'),
  ),
  contestant('payhook with its SQLite inbox', async () => (await withInbox()).payhook(false), {
    target: 0.45,
  }),
  contestant('payhook with its SQLite inbox and handling', async () => (await withInbox()).payhook(true)),
]

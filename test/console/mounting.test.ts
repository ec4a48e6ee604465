import { once } from 'node:events'
import { createServer } from 'node:http'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { expect, it, onTestFinished } from 'vitest'
import { createConsole, type InboxConsole, toNodeListener } from '../../src/console/index.ts'
import { openSqlite } from '../cli/test-inboxes.ts'
import { listen } from '../contracts/listen.ts'

const PATH = '/admin/inbox'

/** How to mount a console in each framework, after a login with its session on Node's request. */
const MOUNTS: Record<string, (inboxConsole: InboxConsole) => Promise<{ port: number; close(): unknown }>> = {
  Node: (inboxConsole) => {
    const handle = toNodeListener(inboxConsole)
    return listen((request, response) => void handle(request, response))
  },
  Express: (inboxConsole) => {
    const app = express()
    // An earlier body parser must not matter.
    app.use(express.json())
    app.use(PATH, toNodeListener(inboxConsole))
    return listen(app)
  },
  Koa: (inboxConsole) => {
    const handle = toNodeListener(inboxConsole)
    const app = new Koa()
    app.use(async (ctx) => {
      ctx.respond = false
      await handle(ctx.req, ctx.res)
    })
    return listen(app.callback())
  },
  Fastify: async (inboxConsole) => {
    const handle = toNodeListener(inboxConsole)
    const app = fastify()
    app.all(PATH, async (request, reply) => {
      reply.hijack()
      await handle(request.raw, reply.raw)
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    return { port: (app.server.address() as { port: number }).port, close: () => app.close() }
  },
  Hono: async (inboxConsole) => {
    const app = new Hono()
    app.all(PATH, (c) => inboxConsole(c.req.raw))
    const { createAdaptorServer } = await import('@hono/node-server')
    return await listen(
      createAdaptorServer({ fetch: app.fetch, createServer }).listeners('request')[0] as never,
    )
  },
}

it.each(Object.keys(MOUNTS))('works in %s', async (name) => {
  const { inbox } = await openSqlite()
  const inboxConsole = createConsole({
    inbox,
    authorize: (request, node) =>
      (node?.incoming.headers.cookie ?? request.headers.get('cookie')) === 'session=ada',
  })
  const server = await MOUNTS[name]?.(inboxConsole)
  if (!server) throw new Error('not mounted')
  onTestFinished(async () => void (await server.close()))
  const headers = { cookie: 'session=ada', 'x-payhook-console': '1' }
  const url = `http://127.0.0.1:${server.port}${PATH}`

  expect((await fetch(url)).status).toBe(403)
  expect(await (await fetch(url, { headers })).text()).toContain('<div id="app">')
  const counts = await fetch(`${url}?call=counts`, { headers })
  expect(await counts.json()).toEqual({ counts: { waiting: 0, active: 0, completed: 0, dead: 0 } })
  const replayed = await fetch(`${url}?call=replay-all&state=dead`, { method: 'POST', headers })
  expect(await replayed.json()).toEqual({ replayed: 0 })
})

it.each(Object.keys(MOUNTS).filter((name) => name !== 'Hono'))(
  'responds 500 and warns if authorize throws in %s',
  async (name) => {
    const authorize = () => {
      throw new Error('no session store')
    }
    const { inbox } = await openSqlite()
    const server = await MOUNTS[name]?.(createConsole({ inbox, authorize }))
    if (!server) throw new Error('not mounted')
    onTestFinished(async () => void (await server.close()))
    const warned = once(process, 'warning')
    const response = await fetch(`http://127.0.0.1:${server.port}${PATH}`)
    expect(response.status).toBe(500)
    expect(await response.json()).toMatchObject({ code: 'internal_error' })
    expect(await warned).toMatchObject([{ message: 'no session store', code: 'console_failed' }])
  },
)

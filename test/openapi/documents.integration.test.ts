import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { createDocuments } from '../../scripts/openapi/write-openapi.ts'
import { createControlApp } from '../../src/sandbox/control/control-app.ts'
import { EventLog } from '../../src/sandbox/state/event-log.ts'
import { createService } from '../sandbox/service/create-service.ts'
import { documents, serviceApi } from './documents.ts'
import type { Exchange } from './exchange-validator.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const files = ['service', 'control'].map((name) => `src/sandbox/openapi/${name}-openapi.json`)

it('are what the code says now; if not, run `node scripts/openapi/write-openapi.ts`', () => {
  for (const [file, document] of Object.entries(createDocuments()))
    expect(JSON.parse(readFileSync(root + file, 'utf8'))).toEqual(JSON.parse(JSON.stringify(document)))
})

it('follow the recommended rules of redocly', async () => {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const redocly = `${root}node_modules/@redocly/cli/bin/cli.js`
  const parameters = [redocly, 'lint', '--extends', 'recommended', '--format', 'markdown', ...files]
  const { stdout } = await promisify(execFile)(process.execPath, parameters, { cwd: root, env })
  expect(stdout).toBe('')
})

describe('have exactly the operations of the sandbox', () => {
  const { core, hosts, app } = createService()

  it('in its control API', () => {
    expect(operationsOf(documents.control)).toEqual(
      routesOf(createControlApp(hosts, core, new EventLog(), {} as never)),
    )
  })

  it('in the service, without the page for users', () => {
    const routes = routesOf(app).filter((route) => !route.includes('/oauth/authorize'))
    expect(operationsOf(documents.service)).toEqual(routes)
  })
})

function operationsOf({ paths }: { paths: object }): string[] {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((method) => method !== 'parameters')
      .map((method) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/, ':id')}`),
  )
  return operations.sort()
}

function routesOf({ routes }: Hono): string[] {
  const ofMethods = routes.filter(({ method }) => method !== 'ALL')
  return [...new Set(ofMethods.map(({ method, path }) => `${method} ${path}`))].sort()
}

describe('a validator notices', () => {
  const error = { code: 401, message: 'no', logTag: 'x', timestamp: 'now' }
  const hello: Exchange = {
    method: 'GET',
    path: '/svc/v1.0/hello',
    query: new URLSearchParams(),
    headers: {},
    body: '',
    status: 401,
    responseHeaders: { 'content-type': 'application/json' },
    responseBody: JSON.stringify(error),
  }
  const saying = (fields: object) => ({ responseBody: JSON.stringify({ ...error, ...fields }) })

  it.each<[string, Partial<Exchange>, string[]]>([
    ['nothing if the exchange is right', {}, []],
    ['a status that is not documented', { status: 418 }, ['the status 418 is not documented']],
    ['an unknown path', { path: '/svc/v1.0/bye', status: 200 }, ['the operation is not documented']],
    ['a field of another type', saying({ code: '401' }), ['response/code must be number {"type":"number"}']],
    ['a field that is not documented', saying({ other: 1 }), [expect.stringContaining('"other"')]],
  ])('%s', (_what, change, found) => {
    expect(serviceApi.checkResponse({ ...hello, ...change })).toEqual(found)
  })
})

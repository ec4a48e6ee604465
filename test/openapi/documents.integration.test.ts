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
import { documents } from './documents.ts'
import { createExchangeValidator, type Exchange } from './exchange-validator.ts'

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
  const hello: Exchange = {
    method: 'GET',
    path: '/svc/v1.0/hello',
    query: new URLSearchParams(),
    headers: {},
    body: '',
    status: 401,
    responseHeaders: { 'content-type': 'application/json' },
    responseBody: JSON.stringify({ code: 401, message: 'no', logTag: 'x', timestamp: 'now' }),
  }
  type Paths = Record<string, { get: { responses: Record<string, unknown> } }>
  type Schemas = { schemas: { ServiceError: { properties: object } } }
  const violations = (
    change: (document: { paths: Paths; components: Schemas }) => void,
    exchange: Exchange,
  ) => {
    const document = structuredClone(documents.service) as never
    change(document)
    return createExchangeValidator(document).checkResponse(exchange)
  }

  it.each<[string, Parameters<typeof violations>[0], string[], object?]>([
    ['nothing if the document is right', () => {}, []],
    [
      'a status that is not documented',
      ({ paths }) => delete paths['/svc/v1.0/hello']?.get.responses[401],
      ['the status 401 is not documented'],
    ],
    [
      'a path that is not documented',
      ({ paths }) => delete paths['/svc/v1.0/hello'],
      ['the operation is not documented'],
      { status: 200 },
    ],
    [
      'a field of another type',
      ({ components }) =>
        Object.assign(components.schemas.ServiceError.properties, { code: { type: 'string' } }),
      ['response/code must be string {"type":"string"}'],
    ],
  ])('%s', (_what, change, found, given = {}) => {
    expect(violations(change, { ...hello, ...given })).toEqual(found)
  })

  it('a field that is not documented', () => {
    const responseBody = JSON.stringify({ ...JSON.parse(hello.responseBody), other: 1 })
    expect(violations(() => {}, { ...hello, responseBody })).toHaveLength(1)
  })
})

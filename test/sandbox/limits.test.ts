import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createCore } from '../../src/sandbox/sandbox-core.ts'
import { checkSandboxOptions } from '../../src/sandbox/sandbox-options.ts'
import { createServiceApp } from '../../src/sandbox/service/service-app.ts'
import { createHostRules } from '../../src/sandbox/service/verify-host.ts'
import { APPLICATION } from '../../src/sandbox/state/accounts.ts'
import { BoundedMap } from '../../src/sandbox/state/bounded-map.ts'
import { Configurations } from '../../src/sandbox/state/configurations.ts'
import { IssuedTokens } from '../../src/sandbox/state/issued-tokens.ts'
import { RequestIds } from '../../src/sandbox/state/request-ids.ts'
import { waitFor } from '../contracts/wait-for.ts'
import { openSandbox, receiver } from './open-sandbox.ts'
import { subscribe } from './service/http-calls.ts'

const KIND = 'VBA_TRANSACTION'
const callbackUrl = 'http://127.0.0.1:1/'

describe('a bounded map', () => {
  it('drops only the oldest entries', () => {
    const map = new BoundedMap<string, number>(2)
    map.set('a', 1).set('b', 2)
    expect([...map]).toEqual([
      ['a', 1],
      ['b', 2],
    ])
    map.set('b', 3)
    expect(map.get('a')).toBe(1)
    map.set('c', 4)
    expect([...map]).toEqual([
      ['b', 3],
      ['c', 4],
    ])
  })
})

describe('configurations', () => {
  it('are limited to 10,000 Active ones; deleting one makes room', async () => {
    const options = checkSandboxOptions({})
    const core = createCore(options)
    const { tokens, configurations } = core
    const app = createServiceApp(createHostRules('127.0.0.1', options.hostname), core)
    tokens.save({
      accessToken: 'token',
      accessTokenExpiresAt: new Date(Date.now() + 60_000),
      refreshToken: 'refresh',
      scope: ['all'],
      client: { id: options.clientId, grants: [] },
      user: IssuedTokens.familyOf(APPLICATION),
    })
    for (let count = 1; count < 10_000; count++)
      configurations.create(APPLICATION.accountId, KIND, callbackUrl)
    const create = async () => {
      const answer = await app.request('http://localhost/svc/v1.2/webhooks', {
        method: 'POST',
        headers: {
          host: 'localhost',
          authorization: 'Bearer token',
          'x-request-id': randomUUID(),
          'content-type': 'application/json',
        },
        body: JSON.stringify({ event: KIND, callbackURL: callbackUrl }),
      })
      return [answer.status, ((await answer.json()) as { message?: string }).message]
    }
    expect(await create()).toEqual([200, undefined])
    expect(await create()).toEqual([400, 'There are too many configurations'])
    const [oldest] = configurations.active({})
    if (oldest) configurations.deactivate(oldest)
    expect(await create()).toEqual([200, undefined])
    expect((await create())[0]).toBe(400)
  })

  it('are kept if Inactive, up to 1,000', () => {
    const configurations = new Configurations()
    const all = Array.from({ length: 1_001 }, () => configurations.create('1', KIND, callbackUrl))
    const [first, second] = all.map((one) => configurations.deactivate(one).id)
    expect(configurations.find('1', first ?? '')).toBeUndefined()
    expect(configurations.find('1', second ?? '')).toMatchObject({ status: 'Inactive' })
    expect(configurations.find('1', all.at(-1)?.id ?? '')).toMatchObject({ status: 'Inactive' })
    expect(configurations.find('2', second ?? '')).toBeUndefined()
  })
})

describe('request ids', () => {
  it('are kept up to 100,000', () => {
    const ids = new RequestIds(true)
    for (let id = 0; id < 100_000; id++) ids.take(String(id))
    expect(ids.take('0')).toBe('reused')
    expect(ids.take('new')).toBe('taken')
    expect(ids.take('0')).toBe('taken')
    expect(ids.take('2')).toBe('reused')
  })
})

describe('maxRecords', () => {
  it('limits settled deliveries, but not pending ones', async () => {
    const waiting: (() => void)[] = []
    const { url } = await receiver((response, { body }) => {
      if (body.includes('slow')) waiting.push(() => response.end())
      else response.end()
    })
    const sandbox = await openSandbox({ maxRecords: 2 })
    await subscribe(sandbox, KIND, url)
    const slow = sandbox.trigger(KIND, { id: 1, note: 'slow' })
    await waitFor(() => waiting.length === 1)
    for (const id of [2, 3, 4]) await sandbox.trigger(KIND, { id })
    const ids = () => sandbox.deliveries().map(({ body }) => JSON.parse(JSON.parse(body).data).id)
    expect(ids()).toEqual([1, 3, 4])
    waiting[0]?.()
    await slow
    expect(ids()).toEqual([1, 4])
  })

  it('limits recorded requests', async () => {
    const sandbox = await openSandbox({ maxRecords: 2 })
    for (const path of ['/a', '/b', '/c', '/d', '/e']) {
      await fetch(`${sandbox.url}${path}`)
      expect(sandbox.requests().at(-1)?.path).toBe(path)
      expect(sandbox.requests().length).toBeLessThanOrEqual(2)
    }
    expect(sandbox.requests().map(({ path }) => path)).toEqual(['/d', '/e'])
  })
})

import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { DesiredWebhook, SyncResult } from '../../../src/client/index.ts'
import { changed, respond, toResponse, waitingFor } from '../exchange.ts'
import { failureOf, openClient, openScripted } from '../open-client.ts'

const LIST = 'GET /svc/v1.2/webhooks'

/** `kind path` as a configuration. */
const one = (text: string): DesiredWebhook => {
  const [event = '', path = ''] = text.split(' ')
  return { event, callbackUrl: `https://a.example/${path}` }
}

const short = ({ event = '', callbackUrl }: SyncResult['created' | 'deleted'][number]) =>
  `${event} ${callbackUrl?.href.replace('https://a.example/', '')}`

/** A result as it is logged. None of the URLs has a token. */
const logged = (result: unknown) => JSON.parse(JSON.stringify(result))

/** `+` created, `~` updated, `-` deleted. */
type Case = [what: string, there: string, desired: string, changes: string, after: string, prune?: 'prune']

const cases: Case[] = [
  ['all is missing', '', 'A 1, B 1', '+A 1, +B 1', 'A 1, B 1'],
  ['all is there', 'A 1, B 1', 'B 1, A 1', '', 'A 1, B 1'],
  ['another URL', 'A 1', 'A 2', '~A 2', 'A 2'],
  ['another kind', 'A 1', 'B 1', '+B 1', 'A 1, B 1'],
  ['another kind, pruned', 'A 1', 'B 1', '+B 1, -A 1', 'B 1', 'prune'],
  ['a second URL of a kind', 'A 1', 'A 1, A 2', '+A 2', 'A 1, A 2'],
  ['one is right and one is not', 'A 1, A 2', 'A 2, A 3', '~A 3', 'A 2, A 3'],
  ['the same twice is there, and another is desired', 'A 1, A 1', 'A 1, A 2', '+A 2', 'A 1, A 1, A 2'],
  ['one too many', 'A 1, A 2', 'A 1', '', 'A 1, A 2'],
  ['one too many, pruned', 'A 1, A 2', 'A 1', '-A 2', 'A 1', 'prune'],
  ['all are too many', 'A 1, B 1', '', '-A 1, -B 1', '', 'prune'],
  ['the same twice is there', 'A 1, A 1', 'A 1', '', 'A 1, A 1'],
  ['the same twice is there, pruned', 'A 1, A 1', 'A 1', '-A 1', 'A 1', 'prune'],
  ['the same twice is desired', '', 'A 1, A 1', '+A 1', 'A 1'],
  ['kinds that nobody knows', 'NEW 1', 'NEW 2, NEWER 1', '+NEWER 1, ~NEW 2', 'NEW 2, NEWER 1'],
]

const listOf = (text: string) => text.split(', ').filter((each) => each !== '')

describe('sync', () => {
  it.each(cases)('%s', async (_what, there, desired, changes, after, prune) => {
    const { service, webhooks } = await openClient()
    for (const { event, callbackUrl } of listOf(there).map(one)) service.webhooks.add(event, callbackUrl)
    const wanted = listOf(desired).map(one)
    const options = prune && { prune: true }

    const planned = await webhooks.sync(wanted, { ...options, dryRun: true })
    expect(service.calls).toEqual([LIST])

    const result = await webhooks.sync(wanted, options)
    for (const { created, updated, deleted } of [planned, result]) {
      const signed = Object.entries({ '+': created, '~': updated, '-': deleted })
      expect(signed.flatMap(([sign, all]) => all.map((each) => sign + short(each)))).toEqual(listOf(changes))
    }
    expect(logged(planned.unchanged)).toEqual(logged(result.unchanged))
    const active = listOf(after).map((text) => text.replace(' ', ' https://a.example/'))
    expect(service.webhooks.active()).toEqual(active)

    const again = await webhooks.sync(wanted, options)
    expect([again.created, again.updated, again.deleted]).toEqual([[], [], []])
    expect(again.unchanged.map(short)).toEqual(expect.arrayContaining([...new Set(listOf(desired))]))
    const sent = service.calls.filter((route) => !route.startsWith('GET'))
    expect(sent).toHaveLength(listOf(changes).length)
  })

  it('resolves to configurations with their previous URLs', async () => {
    const { service, webhooks } = await openClient()
    service.webhooks.add('A', 'https://old.example/')
    service.webhooks.add('B', 'https://b.example/')
    service.webhooks.add('C', 'https://c.example/')
    const desired = [
      { event: 'A', callbackUrl: 'https://new.example/' },
      { event: 'B', callbackUrl: 'https://b.example/' },
      { event: 'D', callbackUrl: 'https://d.example/' },
    ]
    expect(logged(await webhooks.sync(desired, { prune: true }))).toEqual({
      created: [{ id: '104', status: 'Active', ...desired[2] }],
      updated: [{ id: '101', status: 'Active', previousCallbackUrl: 'https://old.example/', ...desired[0] }],
      deleted: [{ id: '103', status: 'Inactive', event: 'C', callbackUrl: 'https://c.example/' }],
      unchanged: [{ id: '102', status: 'Active', ...desired[1] }],
    })
  })

  it('has no token in its result, unless it is asked for the whole URL', async () => {
    const { service, webhooks } = await openClient()
    const to = (token: string, user = '') => `https://${user}a.example/?token=secret-${token}`
    for (const event of ['A', 'B', 'C']) service.webhooks.add(event, to(event))
    const desired = [
      { event: 'A', callbackUrl: to('new') },
      { event: 'B', callbackUrl: to('B') },
      { event: 'D', callbackUrl: to('D', 'u:secret@') },
    ]
    for (const dryRun of [true, false]) {
      const result = await webhooks.sync(desired, { prune: true, dryRun })
      const { created, updated, deleted, unchanged } = result
      const text = [JSON.stringify(result), inspect(result, { depth: 9 }), created[0]?.callbackUrl].join()
      expect(text).not.toContain('secret')
      expect(text).toContain('https://a.example/?token=…')
      const all = [...created, ...updated, ...deleted, ...unchanged]
      const hrefs = all.map(({ callbackUrl }) => callbackUrl?.href)
      expect(hrefs).toEqual([to('D', 'u:secret@'), to('new'), to('C'), to('B')])
      expect(updated[0]?.previousCallbackUrl.href).toBe(to('A'))
    }
  })

  it.each([
    ['https://a.example:443/x', 'https://a.example/x'],
    ['https://a.example/x#part', 'https://a.example/x'],
    ['https://a.example/x', 'https://a.example/x#part'],
  ])('treats %s and %s as equal', async (there, desired) => {
    const { service, webhooks } = await openClient()
    service.webhooks.add('A', there)
    const result = await webhooks.sync([{ event: 'A', callbackUrl: desired }])
    expect(result).toMatchObject({ created: [], updated: [], unchanged: [{ id: '101' }] })
  })

  it.each(['https://a.example/1', 'https://a.example/old'])(
    'counts an entry that the service lists twice once, with %s',
    async (callbackUrl) => {
      const { service, webhooks } = await openClient()
      service.webhooks.add('A', callbackUrl)
      const entry = { id: 101, event: 'A', callbackUrl, status: 'Active' }
      service.on(LIST, respond(200, [entry, entry]))
      const { deleted } = await webhooks.sync([one('A 1')], { prune: true })
      expect(deleted).toEqual([])
      expect(service.webhooks.active()).toEqual(['A https://a.example/1'])
    },
  )

  it('keeps and updates the oldest, in whatever order they are listed', async () => {
    const { service, webhooks } = await openClient()
    for (const id of [10n, 9n]) service.webhooks.add('A', 'https://a.example/1', { id })
    for (const id of [12n, 11n]) service.webhooks.add('B', 'https://a.example/old', { id })
    const result = await webhooks.sync([one('A 1'), one('B 1')], { prune: true })
    expect(result).toMatchObject({
      unchanged: [{ id: '9' }],
      updated: [{ id: '11' }],
      deleted: [{ id: '10' }, { id: '12' }],
    })
  })
})

describe('two syncs at the same time', () => {
  it('that prune the same configurations both succeed', async () => {
    const { service, webhooks } = await openClient()
    for (const path of ['1', '2', '3']) service.webhooks.add('A', `https://a.example/${path}`)
    service.on(LIST, waitingFor(service.arrived(LIST, 2)))
    const sync = () => webhooks.sync([one('A 1')], { prune: true })
    for (const { deleted, unchanged } of await Promise.all([sync(), sync()])) {
      expect(logged(deleted)).toMatchObject([
        { id: '102', status: 'Inactive', callbackUrl: 'https://a.example/2' },
        { id: '103', status: 'Inactive', callbackUrl: 'https://a.example/3' },
      ])
      expect(unchanged.map(({ id }) => id)).toEqual(['101'])
    }
    expect(service.webhooks.active()).toEqual(['A https://a.example/1'])
  })

  it('of which one deletes what the other updates: it is created again', async () => {
    const { service, client } = await openClient()
    const old = service.webhooks.add('A', 'https://a.example/old')
    service.webhooks.add('B', 'https://a.example/old')
    service.webhooks.add('C', 'https://a.example/too-many')
    service.on('PATCH /svc/v1.2/webhooks/101', ({ apply, send }) => {
      old.status = 'Inactive'
      send(apply())
    })
    const desired = ['A 1', 'B 1', 'D 1'].map(one)
    const result = await client.webhooks.sync(desired, { prune: true })
    expect(result.created.map(short)).toEqual(['D 1', 'A 1'])
    expect(result.updated.map(short)).toEqual(['B 1'])
    expect(result.deleted.map(short)).toEqual(['C too-many'])
    expect(result.unchanged).toEqual([])
    expect(service.webhooks.active()).toEqual(['A', 'B', 'D'].map((event) => `${event} https://a.example/1`))
  })

  it('of which one deletes what the other updates, which then is Inactive: it is created again', async () => {
    const { service, webhooks } = await openClient({ listsInactive: true })
    const old = service.webhooks.add('A', 'https://a.example/old')
    service.on('PATCH *', ({ apply, send }) => {
      old.status = 'Inactive'
      send(apply())
    })
    const result = await webhooks.sync([one('A 1')])
    expect(result).toMatchObject({ created: [{ event: 'A', status: 'Active' }], updated: [] })
  })

  it.each(['PATCH', 'DELETE'])('fails at once if a %s is rejected for another reason', async (method) => {
    const { service, webhooks } = await openClient()
    service.webhooks.add('A', 'https://a.example/1')
    service.webhooks.add('B', 'https://a.example/1')
    service.on(`${method} *`, respond(403))
    expect(await failureOf(webhooks.sync([one('A 2')], { prune: true }))).toMatchObject({ status: 403 })
    expect(service.calls.filter((route) => route === LIST)).toHaveLength(1)
  })
})

describe('what a sync warns about', () => {
  it('is nothing by default', async () => {
    const { webhooks } = await openClient()
    const urls = ['https://a.example/', 'http://localhost:3000/', 'http://127.0.0.1:3000/', 'http://[::1]/']
    const desired = urls.map((callbackUrl) => ({ event: 'A', callbackUrl }))
    expect(await webhooks.sync(desired)).not.toHaveProperty('warnings')
  })

  it.each([true, false])(
    'is plain http to another machine, once per host; in a dry run: %s',
    async (dryRun) => {
      const { webhooks } = await openClient()
      const callbackUrl = 'http://shop.example:8080/?token=secret'
      const desired = ['A', 'B'].map((event) => ({ event, callbackUrl }))
      const { warnings } = await webhooks.sync(desired, { dryRun })
      expect(warnings).toEqual([expect.stringContaining('shop.example:8080 is plain http')])
      expect(warnings?.join()).not.toContain('secret')
    },
  )

  it('is an unreadable configuration, which stays as it is', async () => {
    const { service, client } = await openClient()
    service.webhooks.add('A', 'https://a.example/1')
    service.webhooks.add('B', 'https://a.example/1')
    const odd = { id: 7, event: null, callbackUrl: 'https://a.example/odd', status: 'Active' }
    const withOdd = changed(({ body }) => toResponse(200, [odd, ...JSON.parse(String(body))]))
    service.on(LIST, withOdd)
    const result = await client.webhooks.sync([one('A 1')], { prune: true })
    expect(result.deleted.map(short)).toEqual(['B 1'])
    expect(result.warnings).toEqual([expect.stringContaining('cannot be read')])
    expect(service.calls.filter((route) => !route.startsWith('GET'))).toEqual([
      'DELETE /svc/v1.2/webhooks/102',
    ])
  })
})

describe('a configuration', () => {
  const entry = { id: 7, event: 'A', callbackUrl: 'https://a.example/1' }

  it.each(['Inactive', 'Deleted', 'inactive'])(
    'that is %s counts as missing, and is not pruned',
    async (status) => {
      const { webhooks } = await openScripted(LIST, respond(200, [{ ...entry, status }]))
      const result = await webhooks.sync([one('A 1')], { prune: true })
      expect(logged(result)).toMatchObject({ created: [one('A 1')], updated: [], deleted: [], unchanged: [] })
    },
  )

  it.each([undefined, null, 'Active'])('with the status %j is active', async (status) => {
    const { webhooks } = await openScripted(LIST, respond(200, [{ ...entry, status }]))
    const { created, unchanged } = await webhooks.sync([one('A 1')])
    expect([created, unchanged]).toMatchObject([[], [{ id: '7', status: 'Active' }]])
  })

  it('whose id is negative can be pruned', async () => {
    const { service, webhooks } = await openScripted(LIST, respond(200, [{ ...entry, id: -1 }]))
    service.on('DELETE /svc/v1.2/webhooks/-1', respond(200))
    const { deleted } = await webhooks.sync([], { prune: true })
    expect(logged(deleted)).toEqual([{ ...entry, id: '-1', status: 'Inactive' }])
  })
})

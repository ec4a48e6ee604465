import { describe, expect, it } from 'vitest'
import { createConsole, type InboxConsole } from '../../src/console/index.ts'
import { entryNotFound } from '../../src/inbox/entry-rules.ts'
import type { Inbox } from '../../src/inbox/inbox.ts'
import { openSqlite } from '../cli/test-inboxes.ts'
import { createSigned, signedFrom } from '../contracts/signed-notification.ts'
import { waitFor } from '../contracts/wait-for.ts'

const BAD_BYTES = new Uint8Array([0x7b, 0xff, 0x00])

/** Calls the API like the page. */
function pageOf(handler: InboxConsole) {
  return async (method: 'GET' | 'POST', query: string) => {
    const url = `https://app.example/admin/inbox?${query}`
    const response = await handler(new Request(url, { method, headers: { 'x-payhook-console': '1' } }))
    return { status: response.status, body: JSON.parse(await response.text()) }
  }
}

describe('a console', () => {
  it('lists, shows, replays and deletes entries', async () => {
    const { inbox } = await openSqlite()
    const call = pageOf(createConsole({ inbox, authorize: () => true }))
    await inbox.put(createSigned('9223372036854775807'))
    await inbox.put(signedFrom(BAD_BYTES))
    let broken = true
    await inbox.start({
      handle: async ({ rawBody }) => {
        const { PayloadError } = await import('../../src/index.ts')
        if (broken && rawBody.length === BAD_BYTES.length)
          throw new PayloadError('payload_not_utf8', 'No UTF-8')
      },
      dead: async () => {},
      failed: () => {},
    })
    await waitFor(async () => {
      const { completed, dead } = await inbox.counts()
      return completed === 1 && dead === 1
    })

    expect(await call('GET', 'call=counts')).toEqual({
      status: 200,
      body: { counts: { waiting: 0, active: 0, completed: 1, dead: 1 } },
    })
    const { body: dead } = await call('GET', 'call=list&state=dead')
    expect(dead.entries).toMatchObject([
      { kind: null, error: expect.stringMatching(/No UTF-8$/), subject: null, highlights: {} },
    ])
    const [{ id }] = dead.entries
    expect((await call('GET', `call=entry&id=${id}`)).body).toMatchObject({
      bodyBase64: 'e/8A',
      event: { error: expect.stringContaining('not UTF-8') },
    })
    const { body: completed } = await call('GET', 'call=list&state=completed&search=9223372036854775807')
    const entry = await call('GET', `call=entry&id=${completed.entries[0].id}`)
    expect(JSON.parse(entry.body.event.json).data.id).toBe('9223372036854775807')
    expect((await call('GET', 'call=list&state=completed&search=nothing')).body.entries).toEqual([])

    // An id or a subject finds what is about it, in the order of arrival.
    for (const search of ['9223372036854775807', 'payment:9223372036854775807']) {
      const { body: found } = await call('GET', `call=list&state=all&search=${search}`)
      expect(found.entries).toMatchObject([
        {
          state: 'completed',
          subject: 'payment:9223372036854775807',
          highlights: { id: '9223372036854775807', status: 'Complete' },
        },
      ])
      const { body: end } = await call('GET', `call=list&state=all&search=${search}&after=${found.after}`)
      expect(end).toEqual({ entries: [], after: null })
      expect((await call('GET', `call=list&state=dead&search=${search}`)).body.entries).toEqual([])
    }

    // One state after the other, with an empty page where one ends.
    const all: string[] = []
    for (let after: string | null = ''; after !== null; ) {
      const { body: page } = await call('GET', `call=list&state=all&after=${after}`)
      all.push(...page.entries.map(({ state }: { state: string }) => state))
      after = page.after
    }
    expect(all).toEqual(['dead', 'completed'])

    broken = false
    expect((await call('POST', `call=replay&id=${id}&id=gone`)).body).toMatchObject({
      replayed: 1,
      failed: [{ id: 'gone' }],
    })
    await waitFor(async () => (await inbox.counts()).completed === 2)
    expect((await call('POST', `call=delete&id=${id}&state=dead`)).body).toMatchObject({
      message: 'It was not deleted: it is completed now.',
    })
    expect((await call('POST', `call=delete&id=${id}&state=completed`)).body).toEqual({ deleted: 1 })
    expect((await call('POST', `call=delete&id=${id}&state=completed`)).status).toBe(404)
  })

  it('ends a list where the engine cannot go on, as the last entry has left its state', async () => {
    const { inbox } = await openSqlite()
    await inbox.put(createSigned(1))
    const list: Inbox['list'] = async (options) => {
      if (options?.after !== undefined) throw entryNotFound(options.after)
      return await inbox.list(options)
    }
    const call = pageOf(createConsole({ inbox: { ...inbox, list }, authorize: () => true }))
    const { body } = await call('GET', 'call=list&state=waiting')
    expect(body.entries).toHaveLength(1)
    expect((await call('GET', `call=list&state=waiting&after=${body.after}`)).body).toEqual({
      entries: [],
      after: null,
    })
  })

  it('says since when a notification waits for another one of its key', async () => {
    const { inbox } = await openSqlite({ concurrency: 1 })
    const call = pageOf(createConsole({ inbox, authorize: () => true }))
    await inbox.put({ ...createSigned(48122), concurrencyKey: 'payee:7' })
    await inbox.put({ ...createSigned(48121), concurrencyKey: 'payee:7' })
    const ended = Promise.withResolvers<void>()
    await inbox.start({ handle: () => ended.promise, dead: async () => {}, failed: () => {} })
    await waitFor(async () => (await inbox.counts()).active === 1)
    const [active, waiting] = [
      ...(await inbox.list({ state: 'active' })),
      ...(await inbox.list({ state: 'waiting' })),
    ]
    const { body } = await call('GET', `call=entry&id=${waiting?.id}`)
    expect(body).toMatchObject({
      state: 'waiting',
      concurrencyKey: 'payee:7',
      busySince: active?.startedAt?.toISOString(),
    })
    expect((await call('GET', `call=entry&id=${active?.id}`)).body.busySince).toBeNull()
    ended.resolve()
  })

  it('requires an authorize function', async () => {
    const { inbox } = await openSqlite()
    expect(() => createConsole({ inbox } as never)).toThrow(
      /"authorize" option must be a function that decides .*, but it is undefined$/,
    )
    expect(() => createConsole({ inbox: {} as Inbox, authorize: () => true })).toThrow(/"inbox" option/)
    expect(() => createConsole({ inbox, authorize: () => true, path: '/' } as never)).toThrow(/"path" is not/)
  })

  it.each(['', 'call=counts', 'call=list&state=dead', 'call=entry&id=1'])(
    'shows nothing without authorization: %s',
    async (query) => {
      const { inbox } = await openSqlite()
      // Only true authorizes.
      for (const verdict of [false, undefined, 'yes']) {
        const handler = createConsole({ inbox, authorize: () => verdict as boolean })
        const headers = { 'x-payhook-console': '1' }
        const response = await handler(new Request(`https://app.example/inbox?${query}`, { headers }))
        expect(response.status).toBe(403)
      }
    },
  )

  it("returns the application's response, such as a redirect to its login page", async () => {
    const authorize = async () => Response.redirect('https://app.example/login', 303)
    const { inbox } = await openSqlite()
    const response = await createConsole({ inbox, authorize })(new Request('https://app.example/inbox'))
    expect(response.headers.get('location')).toBe('https://app.example/login')
  })

  it.each([
    ['POST', 'call=replay-all'],
    ['GET', 'call=list&state=dead'],
  ])('rejects a form or a link of another site: %s %s', async (method, query) => {
    const { inbox } = await openSqlite()
    const handler = createConsole({ inbox, authorize: () => true })
    const response = await handler(new Request(`https://app.example/inbox?${query}`, { method }))
    expect(response.status).toBe(403)
  })

  it.each([
    ['GET', 'call=replay-all', 404],
    ['POST', 'call=constructor', 404],
    ['GET', 'call=list&state=lost', 400],
    ['GET', 'call=entry&id=none', 404],
    ['GET', 'call=entry', 400],
    ['GET', 'call=entry&id=', 400],
    ['POST', 'call=replay', 400],
    ['POST', 'call=delete', 400],
    ['POST', 'call=pause', 400],
    ['POST', 'call=replay-all', 400],
    ['POST', 'call=replay-all&state=active', 400],
    ['POST', 'call=replay-all&state=dead&since=soon', 400],
    ['POST', 'call=replay-all&state=dead&perSecond=fast', 400],
  ] as const)('rejects an invalid call: %s %s with %d', async (method, query, status) => {
    const { inbox } = await openSqlite()
    const call = pageOf(createConsole({ inbox, authorize: () => true }))
    expect((await call(method, query)).status).toBe(status)
  })
})

import { spawnSync } from 'node:child_process'
import { promises as dns } from 'node:dns'
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { LookupFunction, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { REVIEWING_CASES } from '../../src/testing/check/cases/reviewing-cases.ts'
import type { Reviewed } from '../../src/testing/check/check-case.ts'
import { CHECK_CASES } from '../../src/testing/check/check-cases.ts'
import { exchange } from '../../src/testing/check/exchange.ts'
import { describe as judge } from '../../src/testing/check/judge.ts'
import type { Exchange } from '../../src/testing/check/planned-request.ts'
import {
  type CheckLevel,
  type CheckOptions,
  type CheckReport,
  checkReceiver,
} from '../../src/testing/index.ts'
import { hmac } from '../contracts/hmac.ts'
import { listening, mount } from '../contracts/listen.ts'
import { waitFor } from '../contracts/wait-for.ts'
import { listenTcp } from '../support/listen-tcp.ts'

const clientId = 'check-client-id'

const receiver = async (listener: RequestListener) => `http://127.0.0.1:${await mount(listener)}/hooks`

const respond =
  (status: number): RequestListener =>
  (_request, response) =>
    response.writeHead(status).end()

/** One that verifies, and then does something else. */
const verifying = (accept: RequestListener, reject = respond(401)): RequestListener => {
  return async (request, response) => {
    const body = await buffer(request).catch(() => Buffer.alloc(0))
    const isRight = request.headers['access-signature'] === hmac(body, clientId)
    return (isRight ? accept : reject)(request, response)
  }
}

type Answer = number | [status: number, text: string]

/** One that responds as `answer` says to the text of a body, and whether its signature is right. */
const answering = (answer: (body: string, isRight: boolean, request: IncomingMessage) => Answer) =>
  receiver(async (request, response) => {
    const body = await buffer(request).catch(() => Buffer.alloc(0))
    const given = answer(`${body}`, request.headers['access-signature'] === hmac(body, clientId), request)
    const [status, text] = typeof given === 'number' ? [given] : given
    response.writeHead(status).end(text)
  })

const check = (url: string, options: Partial<CheckOptions> = {}) =>
  checkReceiver({ url, clientId, ...options })

const resultOf = ({ results }: CheckReport, id: string) => results.find((result) => result.id === id)

const failed = ({ results }: CheckReport) =>
  results.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id)

/** What a case says of a single response. */
function reviewOf(reviewing: string, response: Partial<Exchange>, id = 'plain'): string | undefined {
  const exchanges = [{ durationMs: 1, ...response } as Exchange]
  const run = { sent: new Map([[id, exchanges]]), timeoutMs: 10_000 } as Partial<Reviewed> as Reviewed
  return REVIEWING_CASES[reviewing]?.review(exchanges, run)
}

describe('checkReceiver', () => {
  it("does not take the sandbox's client id for a guessed key where it is the right one", async () => {
    const id = 'sandbox-client-id'
    const url = await answering((body, _, { headers }) =>
      headers['access-signature'] === hmac(body, id) ? 200 : 401,
    )
    const report = await check(url, { clientId: id, only: ['guessable-key'] })
    expect(report).toMatchObject({ passed: true, results: [{ id: 'plain' }, { outcome: 'passed' }] })
  })

  it("does not take a proxy's own 200, for hosts and paths that it does not know, for the receiver's", async () => {
    const known = verifying((_request, response) => response.writeHead(200, { via: '1.1 proxy' }).end())
    const url = await receiver((request, response) => {
      const isKnown = request.headers.host !== 'localhost' && request.url === '/hooks'
      return isKnown ? known(request, response) : respond(200)(request, response)
    })
    const report = await check(url, { only: ['forged-headers', 'forged-paths'] })
    expect(report).toMatchObject({
      passed: true,
      results: [{}, { outcome: 'passed' }, { outcome: 'passed' }],
    })
  })

  it('does not take a missing response for a rejection', () => {
    const request = { body: '', signatures: [], expected: 'not accepted' } as const
    const { observed, wrong } = judge([{ request, durationMs: 100, failure: 'timed out' }], 1, [])
    expect([observed, wrong.length]).toEqual(['no response within 0.1 s', 1])
  })

  it('says that nothing listens, and skips the rest', async () => {
    const report = await check('http://127.0.0.1:9/')
    expect(report).toMatchObject({
      passed: false,
      stopped: 'there was no response to the first notification',
      conclusions: [expect.stringMatching(/^There is no connection to the receiver: .*ECONNREFUSED/)],
    })
    expect(failed(report)).toEqual(['plain'])
    expect(new Set(report.results.slice(1).map(({ outcome }) => outcome))).toEqual(new Set(['skipped']))
  })

  it('finds the right signature in a header of a response', async () => {
    const url = await receiver(async (request, response) => {
      const expected = hmac(await buffer(request), clientId)
      const isRight = request.headers['access-signature'] === expected
      response.writeHead(isRight ? 200 : 401, { 'x-expected': expected }).end()
    })
    const report = await check(url, { only: ['wrong-key', 'reveals-secret'] })
    expect(failed(report)).toEqual(['reveals-secret'])
  })

  it.each<[string, (socket: Socket) => void, RegExp]>([
    ['never responds', (socket) => socket.resume(), /no response within/],
    ['closes the connection', (socket) => socket.end(), /closed without a response/],
    ['resets the connection', (socket) => socket.resetAndDestroy(), /closed without a response/],
    [
      'speaks another protocol',
      (socket) => socket.end('SSH-2.0\r\n'),
      /not HTTP \(Parse Error: Expected HTTP/,
    ],
    [
      'never ends its head',
      (socket) => socket.resume().write('HTTP/1.1 200 OK\r\nx: '),
      /no response within/,
    ],
  ])('gives up on a receiver that %s', async (_, act, observed) => {
    const report = await check(await listenTcp(act), { timeoutMs: 300 })
    expect(report).toMatchObject({
      passed: false,
      results: [{ id: 'plain', outcome: 'failed' }, ...report.results.slice(1)],
    })
    expect(resultOf(report, 'plain')?.observed).toMatch(observed)
    expect(report.conclusions).toEqual([expect.stringContaining('does not respond')])
  })

  it.each([
    [401, {}, /accepts nothing.*401.*client id/],
    [404, {}, /accepts nothing.*404.*path/],
    [413, {}, /accepts nothing.*413.*limits bodies/],
    [415, {}, /accepts nothing.*415.*Content-Type/],
    [502, {}, /accepts nothing.*502.*proxy/],
    [308, { location: '/hooks/' }, /accepts nothing.*308 to \/hooks\/.*final URL/],
    [500, {}, /accepts nothing.*500.*log/],
  ])('concludes what it means that all responses are %d', async (status, headers, conclusion) => {
    const url = await receiver((request, response) => {
      request.resume()
      response.writeHead(status, headers).end()
    })
    const report = await check(url, { only: ['kind-account', 'spaces'] })
    expect(report.conclusions).toEqual([expect.stringMatching(conclusion)])
    expect(report.stopped).toBe('no notification was accepted')
    expect(failed(report)).toEqual(['plain', 'kind-account'])
  })

  it('reads no more than a part of a large response', async () => {
    const chunk = Buffer.alloc(100_000, ' ')
    const url = await receiver(
      verifying((_request, response) => {
        const fill = () => {
          while (!response.destroyed && response.write(chunk));
        }
        response.on('drain', fill)
        fill()
      }),
    )
    const report = await check(url, { only: ['response-size'] })
    expect(report.results).toMatchObject([
      { id: 'plain', outcome: 'passed' },
      { id: 'response-size', outcome: 'failed', observed: 'more' },
    ])
  })

  it('does not accept a response that does not end', async () => {
    const url = await receiver(verifying((_request, response) => void response.writeHead(200).write('x')))
    const { results } = await check(url, { only: ['plain'], timeoutMs: 300 })
    expect(results).toMatchObject([
      { outcome: 'failed', observed: expect.stringMatching(/^200, but no end/) },
    ])
  })

  it('finds responses that are slow, but not those that are missing', () => {
    const review = (exchange: Partial<Exchange>, id = 'plain') => reviewOf('response-time', exchange, id)
    expect(review({ status: 200, durationMs: 5_001 })).toBe('5001 ms')
    for (const id of ['megabyte', 'slow-body'])
      expect(review({ status: 200, durationMs: 5_001 }, id)).toBeUndefined()
    expect(review({ status: 200, durationMs: 4_999 })).toBeUndefined()
    expect(review({ failure: 'timed out', durationMs: 10_000 })).toBeUndefined()
  })

  it('finds a stack trace, and an id with a rounded digit, in a response', async () => {
    const url = await answering((body, isRight) => {
      if (!isRight) return 401
      try {
        return [200, JSON.stringify({ id: JSON.parse(JSON.parse(body).data).id })]
      } catch (error) {
        return [500, `${(error as Error).stack}`]
      }
    })
    const report = await check(url, { only: ['large-id', 'not-json', 'reveals-trace', 'rounded-id'] })
    expect(failed(report)).toEqual(['not-json', 'reveals-trace', 'rounded-id'])
    expect(resultOf(report, 'rounded-id')?.observed).toBe('a response with 9007199254740992')
  })

  it.each([
    [500, 'Error: no<br> &nbsp; &nbsp;at handle (file:///srv/hooks.mjs:10:12)', true],
    [500, 'Traceback (most recent call last):\n  File "/srv/hooks.py", line 12, in hook', true],
    [500, '\tat shop.Hook.lambda$main$0(Hook.java:33)', true],
    [500, 'Uncaught Error in /srv/hooks.php:12\nStack trace:\n#0 /srv/index.php(3): hook()', true],
    [200, 'PHP Fatal error: Uncaught TypeError: hook(): null given in /srv/hooks.php:12', true],
    [500, 'syntax error at hooks.pl line 4.', true],
    [500, '{"error":"internal","at":"2026-01-01T10:00:00Z"}', false],
    [500, 'See https://status.example.com:8443/ for more', false],
    [401, 'Error at /srv/node_modules/router/index.js:33:5', false],
  ])('tells whether a %d with "%s" has a stack trace in it', (status, text, hasTrace) => {
    expect(reviewOf('reveals-trace', { status, text }) !== undefined).toBe(hasTrace)
  })

  it('takes no part of a path for a callback token that the receiver does not', async () => {
    const only = ['no-callback-token']
    const open = async (hasToken: boolean) =>
      await answering((_, isRight, { url }) =>
        hasToken && url !== '/hooks/4f1e9c0a7b2d8e63' ? 404 : isRight ? 200 : 401,
      )
    expect(failed(await check(`${await open(true)}/4f1e9c0a7b2d8e63`, { only }))).toEqual([])
    expect(failed(await check(`${await open(false)}/4f1e9c0a7b2d8e63`, { only }))).toEqual(only)
    expect(failed(await check(await open(false), { only }))).toEqual(only)
  })

  it('asks what a receiver does if only some notifications get no response', async () => {
    const url = await receiver(async (request, response) => {
      if (!`${await buffer(request)}`.includes('Drafted')) respond(200)(request, response)
    })
    const report = await check(url, { only: ['statuses', 'out-of-order'], timeoutMs: 500 })
    expect(resultOf(report, 'statuses')?.cause).toMatch(
      /^Does an exception, or .* without a branch, leave it without a response/,
    )
  })

  it('finds a receiver whose threads share an HMAC', async () => {
    const { promise: all, resolve } = Promise.withResolvers<void>()
    let count = 0
    const url = await receiver(async (request, response) => {
      const body = await buffer(request)
      const isAlone = body.length < 1_000_000 || ++count > 8
      if (count === 8) resolve()
      if (!isAlone) await all
      const isRight = isAlone && request.headers['access-signature'] === hmac(body, clientId)
      respond(isRight ? 200 : 400)(request, response)
    })
    expect(resultOf(await check(url, { only: ['megabyte'] }), 'megabyte')).toMatchObject({
      ...{ outcome: 'failed', level: 'must' },
      cause: expect.stringContaining('accepts the same request alone'),
      mend: expect.stringMatching(/the HMAC.* in local variables/),
    })
  })

  it('stops when the receiver ends, and names the case before', async () => {
    const server = await listening(
      createHttpServer((request, response) => {
        if (request.headers['access-signature'] !== undefined)
          return void verifying(respond(200))(request, response)
        request.socket.destroy()
        void server.close()
      }),
    )
    const only = ['signature-missing', 'forged-kinds', 'signature-empty']
    const report = await check(`http://127.0.0.1:${server.port}/`, { only })
    const stopped = 'the receiver ended after "signature-missing"'
    expect(report).toMatchObject({ passed: false, stopped })
    expect(report.results).toMatchObject([
      { outcome: 'passed' },
      { outcome: 'failed', observed: 'the connection was closed without a response' },
      { outcome: 'skipped', observed: stopped },
      { outcome: 'skipped', observed: stopped },
    ])
  })

  it('names the case with the incomplete body if the receiver ends because of it', async () => {
    const server = await listening(
      createHttpServer((request, response) => {
        request.on('error', () => void server.close())
        verifying(respond(200))(request, response)
      }),
    )
    const report = await check(`http://127.0.0.1:${server.port}/`, { only: ['body-truncated', 'wrong-key'] })
    expect(report.stopped).toBe('the receiver ended during "body-truncated"')
  })

  it('sends only the kinds that the receiver gets', async () => {
    const kinds = new Set<string>()
    const url = await answering((body) => {
      kinds.add(/"type":"(\w+)"/.exec(body)?.[1] ?? '')
      return body.includes('VIRTUAL_CARD_BALANCE') ? 200 : 401
    })
    const report = await check(url, {
      kinds: ['VIRTUAL_CARD_BALANCE_UPDATED'],
      only: ['kind-virtual-card-balance', 'kind-account', 'large-id', 'statuses'],
    })
    expect(report.results.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['plain', 'passed'],
      ['kind-account', 'skipped'],
      ['kind-virtual-card-balance', 'passed'],
      ['statuses', 'skipped'],
      ['large-id', 'passed'],
    ])
    expect([...kinds]).toEqual(['VIRTUAL_CARD_BALANCE_UPDATED'])
  })

  it('marks what it sends, and never sends the client secret', async () => {
    const sent: string[] = []
    const url = await answering((body, _, request) => {
      sent.push(`${request.url} ${JSON.stringify(request.headers)} ${body}`)
      return request.headers['user-agent'] === 'payhook-check' ? 200 : 400
    })
    const only = CHECK_CASES.map(({ id }) => id).filter((id) => !/megabyte|no-limit/.test(id))
    await check(url, { clientSecret: 'check-client-secret', only })
    expect(sent.filter((each) => each.includes('check-client-secret'))).toEqual([])
    const ids = sent.flatMap((each) => /\\"id\\":(\d+)/.exec(each)?.[1] ?? [])
    expect(ids.length).toBeGreaterThan(40)
    expect(
      ids.filter((id) => !/^999\d{6}$|^9007199254740993$|^922337203685477580[67]$|^99[89]\d{6}$/.test(id)),
    ).toEqual([])
  })

  it('judges the responses that came before it was aborted', async () => {
    const controller = new AbortController()
    const url = await answering((body, isRight) => [isRight ? 200 : 401, hmac(body, clientId)])
    const report = await check(url, {
      signal: controller.signal,
      only: ['wrong-key', 'signature-missing', 'reveals-secret', 'response-size'],
      onResult: ({ id }) => id === 'wrong-key' && controller.abort(),
    })
    expect(report).toMatchObject({ passed: false, stopped: 'the check was interrupted', conclusions: [] })
    expect(report.results.map(({ outcome }) => outcome)).toEqual([
      ...['passed', 'passed', 'skipped'],
      ...['failed', 'skipped'],
    ])
  })

  it('rejects if onResult does', async () => {
    const url = await receiver(verifying(respond(200)))
    const failing = check(url, { only: ['plain'], onResult: () => Promise.reject(new Error('down')) })
    await expect(failing).rejects.toThrow('down')
  })

  it('stops after three responses in a row that do not come', async () => {
    const url = await receiver(verifying(respond(200), () => {}))
    const only = ['signature-missing', 'wrong-key', 'forged-kinds', 'body-changed']
    const report = await check(url, { only, timeoutMs: 1_000 })
    expect(report).toMatchObject({
      stopped: '3 requests in a row had no response',
      results: [
        { outcome: 'passed' },
        { outcome: 'failed' },
        { outcome: 'failed' },
        { id: 'forged-kinds', outcome: 'failed' },
        { id: 'body-changed', outcome: 'skipped' },
      ],
    })
  })

  it('names the case after which a receiver responds to nothing', async () => {
    let turn = Promise.resolve()
    const url = await receiver((request, response) => {
      const isRead = () => new Promise<void>((read) => request.resume().on('end', read))
      turn = turn.then(isRead).then(() => respond(200)(request, response))
    })
    const report = await check(url, { only: ['body-truncated', 'signature-empty'], timeoutMs: 500 })
    expect(report.stopped).toBe('the receiver responds to nothing after "body-truncated"')
  })

  it('asks whether a receiver waits for as many letters as there are bytes, and goes on', async () => {
    const url = await receiver(async (request, response) => {
      const body = await buffer(request)
      if (`${body}`.length === body.length) respond(200)(request, response)
    })
    const report = await check(url, { only: ['utf-8', 'large-id'], timeoutMs: 500 })
    expect(resultOf(report, 'utf-8')).toMatchObject({
      observed: expect.stringContaining('(letters)'),
      cause: expect.stringContaining('as many letters'),
    })
    expect(resultOf(report, 'large-id')).toMatchObject({ outcome: 'passed' })
  })

  it('says that a receiver limits the rate, instead of judging the rest by it', async () => {
    let requests = 0
    const url = await receiver((_, response) => response.writeHead(requests++ < 1 ? 200 : 429).end())
    const report = await check(url, { only: ['spaces', 'escapes'] })
    expect(report).toMatchObject({ passed: false, stopped: 'the receiver limits the rate' })
    expect(report.conclusions).toEqual([expect.stringContaining('limits the rate')])
  })

  it('asks whether the rate is limited by a 503, as by nginx', async () => {
    let requests = 0
    const url = await receiver((request, response) => {
      request.resume()
      response.writeHead(requests++ === 0 ? 200 : 503).end()
    })
    const { conclusions } = await check(url, { only: ['signature-missing', 'wrong-key', 'in-the-end'] })
    expect(conclusions).toEqual([expect.stringMatching(/503 to genuine notifications, too.*limits the rate/)])
  })

  it.each([403, 503])('asks whether forged notifications block genuine ones, with %i', async (status) => {
    let forgeries = 0
    const url = await answering((_, isRight) => {
      if (!isRight) forgeries++
      return forgeries > 2 ? status : isRight ? 200 : 401
    })
    const only = ['signature-missing', 'wrong-key', 'body-changed', 'in-the-end']
    const { conclusions } = await check(url, { only })
    expect(conclusions).toEqual([expect.stringMatching(`${status} to genuine notifications, too.*forge`)])
  })

  it.each<[string, CheckLevel, RequestListener]>([
    ['500', 'must', respond(500)],
    ['the connection was closed without a response', 'should', ({ socket }) => socket.destroy()],
  ])('does not take a failure for a rejection: %s (%s)', async (words, level, reject) => {
    const url = await receiver(verifying(respond(200), reject))
    const report = await check(url, { only: ['signature-missing', 'wrong-key'] })
    expect(report.results.slice(1)).toMatchObject([
      { id: 'wrong-key', outcome: 'failed', level },
      { id: 'signature-missing', outcome: 'failed', level },
    ])
    expect(report.conclusions).toEqual([
      expect.stringContaining(`forged notification gets: ${words}. Respond with 401`),
    ])
  })

  it('advises a receiver that closes the connection of what has no signature of the right form', async () => {
    const rejectOrClose: RequestListener = (request, response) =>
      /^[\da-f]{64}$/.test(`${request.headers['access-signature']}`)
        ? respond(401)(request, response)
        : request.socket.destroy()
    const url = await receiver(verifying(respond(200), rejectOrClose))
    const only = [
      'wrong-key',
      'signature-missing',
      'forged-kinds',
      'signature-truncated',
      'genuine-beside-forged',
    ]
    const { passed, results } = await check(url, { only })
    expect(passed).toBe(true)
    expect(results.find(({ id }) => id === 'forged-kinds')).toMatchObject({
      outcome: 'failed',
      level: 'should',
    })
  })

  it('finds what an unsigned request ends for the others', async () => {
    const sockets = new Set<Socket>()
    const url = await receiver((request, response) => {
      sockets.add(request.socket)
      if (request.headers['access-signature']) verifying(respond(200))(request, response)
      else for (const socket of sockets) socket.destroy()
    })
    const report = await check(url, { only: ['wrong-key', 'signature-missing', 'genuine-beside-forged'] })
    expect(resultOf(report, 'genuine-beside-forged')).toMatchObject({ outcome: 'failed', level: 'must' })
  })

  it.each<[CheckLevel, number, string]>([
    ['should', 503, 'three-at-once'],
    ['should', 503, 'one-payment-at-once'],
    ['must', 401, 'three-at-once'],
    ['must', 401, 'one-payment-at-once'],
  ])('is %s about a %i for what is being handled: %s', async (level, status, id) => {
    let requests = 0
    let handled: ServerResponse | undefined
    const url = await receiver(async (request, response) => {
      await buffer(request)
      const number = ++requests
      if (number === 2) handled = response
      else response.writeHead(number === 1 ? 200 : status).end()
      if (number === 4) handled?.end()
    })
    const { results } = await check(url, { only: [id] })
    expect(results.slice(1)).toMatchObject([{ outcome: 'failed', level }])
  })

  it('says that only the first notification is accepted', async () => {
    let all = ''
    const url = await answering((body, _, { headers }) => {
      all += body
      return headers['access-signature'] === hmac(all, clientId) ? 200 : 401
    })
    const kinds = ['kind-account', 'kind-vba-account', 'kind-vba-transaction']
    const report = await check(url, { only: [...kinds, 'spaces'] })
    expect(report.stopped).toBe('no notification after the first was accepted')
    expect(report.conclusions).toEqual([expect.stringContaining('the first notification only')])
  })

  it.each([
    [`${clientId}\n`, 'accepts a signature whose key is the client id without the white space around it'],
    ['идентификатор', 'Does it verify the raw bytes, with the client id that is used here'],
  ])('concludes why nothing is accepted with a client id that no header can hold: %j', async (id, why) => {
    const report = await check(await receiver(verifying(respond(200))), { clientId: id })
    expect(report.conclusions).toEqual([expect.stringContaining(why)])
  })

  it('sends pieces one by one, though connecting takes longer than the pauses between them', async () => {
    const url = await receiver(async (request, response) => {
      const pieces: Buffer[] = []
      for await (const piece of request) pieces.push(piece)
      response.end(`${pieces.length}`)
    })
    const { signal } = new AbortController()
    const lookup: LookupFunction = (_host, _options, done) =>
      void setTimeout(done, 200, null, [{ address: '127.0.0.1', family: 4 }])
    const target = { url: url.replace('127.0.0.1', 'localhost'), lookup, timeoutMs: 60_000, signal }
    const planned = {
      body: 'ë'.repeat(40),
      signatures: [],
      transfer: 'in pieces',
      expected: 'accepted',
    } as const
    // On a busy machine the receiver may read two of them at once.
    await waitFor(async () => (await exchange(target, planned)).text === '3', 30_000)
  })

  it('does not take pieces that meet by chance for a cause', async () => {
    let count = 0
    const url = await answering((body, isRight) => {
      const isSplit = body.includes('ë') && ++count < 4
      return isRight && !isSplit ? 200 : 401
    })
    expect(resultOf(await check(url, { only: ['pieces'] }), 'pieces')).toMatchObject({
      cause: expect.stringMatching(/in one piece\. Collect all pieces as bytes/),
    })
  })

  it('finds a receiver that does not wait for the rest of a body, and one that reads only its start', async () => {
    const only = ['pieces', 'genuine-beside-forged', 'slow-body']
    const limits = { only, timeoutMs: 10_000 }
    const impatient = await receiver((request, response) => {
      // Turns instead of milliseconds, as the process may stand still for any time between two pieces.
      let turns = 0
      const counting = setInterval(() => turns++, 20)
      request.on('close', () => clearInterval(counting))
      verifying(() => respond(turns > 15 ? 400 : 200)(request, response))(request, response)
    })
    const { results } = await check(impatient, limits)
    expect(results.filter(({ outcome }) => outcome === 'failed')).toMatchObject([
      { id: 'slow-body', observed: '400', mend: expect.stringContaining('ReadTimeout in Go') },
    ])
    expect(results.at(-1)).not.toHaveProperty('cause')
    const hasty = await receiver((request, response) => {
      request.once('data', (start: Buffer) => {
        const isRight = request.headers['access-signature'] === hmac(start, clientId)
        response.writeHead(isRight ? 200 : 401).end()
      })
    })
    const report = await check(hasty, limits)
    for (const id of only) expect(resultOf(report, id)?.cause).toContain('the part that arrives first')
  })

  it('names the field without which a receiver closes the connection', async () => {
    const url = await receiver(async (request, response) => {
      const body = `${await buffer(request)}`
      if (!body.includes('debitTxn\\":{')) return void request.socket.destroy()
      respond(200)(request, response)
    })
    const only = ['optional-fields', 'earlier-form']
    expect(resultOf(await check(url, { only }), 'optional-fields')).toMatchObject({
      ...{ observed: 'the connection was closed without a response (null; absent)' },
      cause: 'Look into its log. With "debitTxn" in the data, it accepts it.',
    })
  })

  it('takes no field for what makes a duplicate fail', async () => {
    const seen = new Set<unknown>()
    const url = await receiver((request, response) => {
      const { 'access-signature': signature } = request.headers
      respond(seen.has(signature) ? 500 : 200)(request, response)
      seen.add(signature)
    })
    const kinds = ['ACCOUNT_STATUS_UPDATED'] as const
    for (const id of ['three-times', 'three-at-once'])
      expect(resultOf(await check(url, { kinds, only: [id] }), id)?.cause).toBe('Look into its log.')
  })

  it('asks for what requests at once contend, if each is accepted alone', async () => {
    const { promise: all, resolve } = Promise.withResolvers<void>()
    let count = 0
    const url = await receiver(async (request, response) => {
      const number = ++count
      if (number === 5) resolve()
      if (number > 1) await all
      respond(number > 1 && number <= 5 ? 500 : 200)(request, response)
    })
    const { results } = await check(url, { only: ['one-payment-at-once'] })
    expect(results.at(-1)?.cause).toContain('is a row there already, a database locked')
  })

  it('has one advice for each field that is rejected', async () => {
    const url = await answering((body) => (/paymentId\\":\d|Authorized/.test(body) ? 500 : 200))
    const only = [
      'kind-account',
      'kind-inbound-invoice',
      'statuses',
      'invoice-statuses',
      'one-payment-at-once',
    ]
    const [, , ...found] = (await check(url, { only })).results
    const [ofKind, ofStatus, ...others] = found.map(({ mend }) => mend)
    expect(found.map(({ cause }) => cause)).toEqual([
      ...['paymentId', 'status', 'paymentId', 'status'].map(
        (name) => `Look into its log. Without "${name}" in the data, it accepts it.`,
      ),
    ])
    expect(others).toEqual([ofKind, ofStatus])
  })

  it('names a cause after many notifications whose content was rejected', async () => {
    const url = await receiver(async (request, response) => {
      const body = String(await buffer(request))
      const isRight = request.headers['access-signature'] === hmac(body.trim(), clientId)
      response.writeHead(isRight ? (body.includes('INBOUND') ? 200 : 400) : 401).end()
    })
    const kinds = ['account', 'outbound-payment', 'inbound-payment', 'vba-account', 'vba-transaction']
    const report = await check(url, { only: [...kinds.map((kind) => `kind-${kind}`), 'spaces-around'] })
    expect(resultOf(report, 'spaces-around')).toMatchObject({ cause: expect.stringMatching(/white space/) })
  })

  it('asks whether the body before it was read if a request fails on a reused connection', async () => {
    const requests = new WeakMap<Socket, number>()
    const url = await receiver((request, response) => {
      const count = (requests.get(request.socket) ?? 0) + 1
      requests.set(request.socket, count)
      verifying(respond(count === 3 ? 400 : 200))(request, response)
    })
    const result = resultOf(await check(url, { only: ['keep-alive'] }), 'keep-alive')
    expect(result).toMatchObject({
      observed: '400 (genuine, again)',
      cause: expect.stringContaining('a body that was not read'),
    })
  })

  it('takes 501 for the rejection of a body in chunks', async () => {
    const url = await receiver((request, response) => {
      const accepts = request.headers['transfer-encoding'] === undefined
      verifying(respond(accepts ? 200 : 501), respond(accepts ? 401 : 501))(request, response)
    })
    expect(await check(url, { only: ['forged-chunked'] })).toMatchObject({ passed: true })
  })

  it('says that any signature is accepted', async () => {
    const url = await answering((_, __, { headers }) =>
      headers['access-signature'] === undefined ? 401 : 200,
    )
    const { conclusions } = await check(url, { only: ['signature-missing', 'wrong-key'] })
    expect(conclusions).toEqual([expect.stringContaining('any signature')])
  })

  it.each<[string, (given: string, right: string) => boolean, RegExp]>([
    ['a prefix', (given, right) => right.startsWith(given), /where the shorter text ends/],
    ['what it cannot compare', (given, right) => given.length !== 64 || given === right, /another length/],
    ['its start', (given, right) => given.slice(0, 16) === right.slice(0, 16), /some wrong signatures/],
  ])('says what is wrong with a comparison that accepts %s', async (_, compare, conclusion) => {
    const url = await answering((body, _, { headers }) =>
      compare(String(headers['access-signature'] ?? ''), hmac(body, clientId)) ? 200 : 401,
    )
    const only = ['wrong-key', 'signature-altered', 'signature-truncated', 'signature-too-long']
    const { conclusions } = await check(url, { only })
    expect(conclusions).toEqual([expect.stringMatching(conclusion)])
  })

  it('says that a comparison accepts what it does by chance', async () => {
    const url = await answering((body, _, { headers }) => {
      const given = String(headers['access-signature'] ?? '')
      const isAlike = given.slice(0, 16) === hmac(body, clientId).slice(0, 16)
      return isAlike || (given !== '' && body.includes('VBA_TRANSACTION')) ? 200 : 401
    })
    const { conclusions } = await check(url, { only: ['wrong-key', 'forged-kinds', 'signature-altered'] })
    expect(conclusions).toEqual([expect.stringMatching(/some wrong signatures/)])
  })

  it('says that a protection against CSRF rejects everything', async () => {
    const url = await answering(() => [403, 'CSRF verification failed.'])
    expect((await check(url)).conclusions).toEqual([expect.stringMatching(/exempt this path/)])
  })

  it('does not take a page that has a CSRF token for such a protection', async () => {
    const page = '<meta name="csrf-token" content="x"><h1>Not found</h1>'
    const url = await answering(() => [404, page])
    expect((await check(url)).conclusions).toEqual([expect.stringMatching(/path of the URL right/)])
    const other = await answering((body, _, { headers }) => {
      const isRight = headers['access-signature'] === hmac(body, `${clientId}\n`)
      return [isRight ? 200 : 401, 'A CSRF token, and no access']
    })
    expect((await check(other)).conclusions).toEqual([expect.stringMatching(/client id and a newline/)])
  })

  it('finds what takes different notifications for the same', async () => {
    const seen = new Set<unknown>()
    const only = ['three-times', 'taken-for-duplicate']
    const open = async (toKey: (body: string) => unknown) =>
      await answering((body) => {
        const key = toKey(body)
        return [200, !seen.has(key) && seen.add(key) ? 'new' : 'duplicate']
      })
    expect(failed(await check(await open((body) => JSON.parse(body).id), { only }))).toEqual([only[1]])
    expect(failed(await check(await open((body) => body), { only }))).toEqual([])
    const ofDouble = await open((body) => JSON.parse(JSON.parse(body).data).id + body.match(/"status.*?,/))
    const ofIds = { only: [...only, 'large-id'] }
    const rounded = await check(ofDouble, ofIds)
    expect(resultOf(rounded, 'taken-for-duplicate')?.observed).toMatch(/a large id/)
    // In a second check, the large ids are known.
    const exact = await open((body) => body.match(/\\"id\\":(\d+)/)?.[1])
    for (const _ of [1, 2]) expect(failed(await check(exact, ofIds))).toEqual([])
    const ofPayments = { only: [...only, 'statuses', 'out-of-order'] }
    const ofPayment = await check(await open((body) => JSON.parse(JSON.parse(body).data).id), ofPayments)
    expect(resultOf(ofPayment, 'taken-for-duplicate')?.observed).toMatch(/a new status/)
  })

  it('does not take a status that is ignored for a duplicate', async () => {
    const seen = new Set<string>()
    const url = await answering((body) => {
      const isIgnored = seen.has(body) || body.includes('Complete')
      seen.add(body)
      return [200, isIgnored ? 'ignored' : 'stored']
    })
    const only = ['three-times', 'statuses', 'out-of-order', 'taken-for-duplicate']
    expect(failed(await check(url, { only }))).toEqual([])
  })

  it('finds what a forged copy makes a duplicate', async () => {
    const seen = new Set<string>()
    const url = await answering((body, isRight) => {
      const isDuplicate = seen.has(body)
      seen.add(body)
      return [isRight ? 200 : 401, isDuplicate ? 'duplicate' : 'new']
    })
    const only = ['three-times', 'body-changed-later', 'taken-for-duplicate']
    const report = await check(url, { only })
    expect(failed(report)).toEqual(['taken-for-duplicate'])
    expect(resultOf(report, 'taken-for-duplicate')?.observed).toMatch(/after a copy with another key/)
  })

  it('finds what looks for a duplicate before it inserts', async () => {
    const only = ['three-times', 'three-at-once', 'taken-for-new']
    const open = async (insert: () => unknown) => {
      const seen = new Set<string>()
      return await receiver(async (request, response) => {
        const body = `${await buffer(request)}`
        const isDuplicate = seen.has(body)
        await insert()
        seen.add(body)
        response.end(isDuplicate ? 'duplicate' : 'new')
      })
    }
    let requests = 0
    const { promise, resolve } = Promise.withResolvers<void>()
    // One is plain, and three are in turn.
    const wait = () => (++requests === 7 && resolve()) || (requests > 4 && promise)
    const report = await check(await open(wait), { only })
    expect(resultOf(report, 'taken-for-new')).toMatchObject({ outcome: 'failed', observed: '3 of 3' })
  })

  it.each(['Fatal error: Uncaught TypeError', '{"ok":false}', 'an Exception'])(
    'finds a 2xx that says: %s',
    async (text) => {
      const url = await answering((body) => [200, body.includes('invoiceId\\":null') ? text : '{"ok": true}'])
      const report = await check(url, { only: ['optional-fields', 'acknowledged-failure'] })
      expect(failed(report)).toEqual(['acknowledged-failure'])
      expect(resultOf(report, 'acknowledged-failure')?.observed).toMatch(
        /^a 200 with .* \(optional-fields: null\)$/,
      )
    },
  )

  it('takes an error that every response names for none', async () => {
    const url = await answering(() => [200, '{"error":null}'])
    expect(failed(await check(url, { only: ['optional-fields', 'acknowledged-failure'] }))).toEqual([])
  })

  it('finds what goes on after a rejection', async () => {
    const open = async (rejection: string, accepted = 'received') =>
      await answering((_, isRight) => (isRight ? [200, accepted] : [401, rejection]))
    const only = ['wrong-key', 'rejected-and-handled']
    expect(failed(await check(await open('unauthorized\nreceived'), { only }))).toEqual([only[1]])
    expect(failed(await check(await open('invalid signaturereceived'), { only }))).toEqual([only[1]])
    for (const [rejection, accepted] of [
      ['not received, as the signature is wrong'],
      ['not received'],
      ['Signature invalid', 'valid'],
      ['could not be verified', 'verified'],
    ] as const)
      expect(failed(await check(await open(rejection, accepted), { only }))).toEqual([])
  })

  it("finds the client id as PHP's traces cut it", async () => {
    const trace = "#0 hook.php(3): hash_hmac('sha256', 'x', 'check-client-id...')"
    const url = await answering(() => [200, trace])
    const report = await check(url, { clientId: `${clientId}-of-37-letters`, only: ['reveals-secret'] })
    expect(resultOf(report, 'reveals-secret')).toMatchObject({
      observed: 'a response with the start of the client id',
    })
  })

  it('says that a receiver rejects what is forged in its text only', async () => {
    const url = await answering((_, isRight) => [
      200,
      isRight ? '{"ok":true,"id":"4f1e-9c0a"}' : '{"ok":false}',
    ])
    const { conclusions } = await check(url, { only: ['signature-missing', 'wrong-key'] })
    expect(conclusions).toEqual([expect.stringContaining('reads the status: respond with 401')])
  })

  it('says that the port speaks plain HTTP', async () => {
    const url = await receiver(respond(200))
    const { conclusions } = await check(url.replace('http:', 'https:'))
    expect(conclusions).toEqual([expect.stringContaining('use http://')])
  })

  it('says that the port speaks TLS, and how to trust its certificate', async ({ skip }) => {
    const options = ['-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', '-keyout', '-', '-out', '-']
    const { status, stdout } = spawnSync('openssl', ['req', '-x509', ...options], { encoding: 'utf8' })
    if (status !== 0) skip('There is no openssl.')
    const server = await listening(
      createHttpsServer({ key: stdout, cert: stdout }, (_, response) => response.end()),
    )
    onTestFinished(async () => void (await server.close()))
    const plain = await check(`http://localhost:${server.port}/`)
    expect(plain.conclusions).toEqual([expect.stringContaining('use https://')])
    const secure = await check(`https://localhost:${server.port}/`)
    expect(secure.conclusions).toEqual([expect.stringContaining('NODE_EXTRA_CA_CERTS')])
  })

  it('sends nothing to another machine, unless it is allowed', async () => {
    await expect(check('http://192.0.2.1/')).rejects.toThrow(
      '"url" option must be on this machine, unless "allowRemote" or --yes is set; it is at 192.0.2.1',
    )
    await expect(check('http://[2001:db8::1]/')).rejects.toThrow('it is at 2001:db8::1')
    // An address that is never routed: it is tried, and that is all.
    const options = { allowRemote: true, timeoutMs: 300 }
    expect(await check('http://192.0.2.1:9/', options)).toMatchObject({ passed: false })
  })

  it('sends to the addresses that it has checked, whatever the name resolves to by then', async () => {
    const { port } = new URL(await receiver(respond(200)))
    const found = vi.spyOn(dns, 'lookup').mockResolvedValue([{ address: '127.0.0.1', family: 4 }] as never)
    onTestFinished(() => found.mockRestore())
    const { results } = await check(`http://payhook-check.invalid:${port}/`, { only: ['plain'] })
    expect(results).toMatchObject([{ id: 'plain', outcome: 'passed' }])
  })

  it('sends nothing to a name that resolves only after it was checked', async () => {
    const arrived = vi.fn(respond(200))
    const { port } = new URL(await receiver(arrived))
    const failing = vi.spyOn(dns, 'lookup').mockRejectedValue(new Error('getaddrinfo EAI_AGAIN'))
    onTestFinished(() => failing.mockRestore())
    const { conclusions } = await check(`http://localhost:${port}/`)
    expect(conclusions).toEqual([expect.stringContaining('There is no connection')])
    expect(arrived).not.toHaveBeenCalled()
  })

  it.each([
    'http://payhook-check.invalid/',
    'http://localhost:9/',
    'http://0.0.0.0:9/',
    'http://[::]:9/',
    'http://127.8.9.1:9/',
    'http://[::1]:9/',
    'http://[::ffff:127.0.0.1]:9/',
  ])('has no connection to %s, which is on no other machine', async (url) => {
    const { conclusions } = await check(url)
    expect(conclusions).toEqual([expect.stringContaining('There is no connection')])
  })

  it.each([
    [{ url: 'shop.example' }, '"url" option must be an absolute URL'],
    [{ clientId: '' }, '"clientId" option must be a non-empty string'],
    [{ kinds: ['PAYMENT'] }, '"kinds" option must be a list of kinds of events: ACCOUNT_STATUS_UPDATED'],
    [{ only: [] }, '"only" option must be a list of ids of cases: plain'],
    [{ timeoutMs: 0 }, '"timeoutMs" option must be an integer from 1'],
    [{ timeout: 1 }, '"timeout" is not an option'],
  ])('rejects the options %j', async (options, message) => {
    await expect(check('http://127.0.0.1:9/', options as object)).rejects.toThrow(message)
    await expect(check('http://127.0.0.1:9/', options as object)).rejects.toThrow(TypeError)
  })
})

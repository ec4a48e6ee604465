import { afterEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import type { Handle } from '../../fuzz/verifying-mounts.ts'
import {
  createReceiver,
  type PayhookError,
  type Receiver,
  type ReceiverOptions,
  type Reply,
  type VerifierOptions,
  type WebhookContext,
  type WebhookEvent,
  type WebhookRequest,
} from '../../src/index.ts'
import type { AnyReceiver } from '../../src/receiver/receiver.ts'
import { checkReceiver } from '../../src/testing/index.ts'
import { clients, type FixtureCase, fixture, knownClients } from '../fixture-cases.ts'
import { type HttpClient, http1Client, type Received, type Sending } from './send-request.ts'

/** A server on a free local port. */
export interface Server {
  readonly port: number
  close(): Promise<unknown>
}

/** An adapter, mounted in a real application of its framework. */
export interface HttpAdapter {
  readonly name: string
  /** Default: HTTP/1.1. */
  readonly client?: HttpClient
  /** Every request reaches `receiveWebhooks`. */
  receiving(receiver: AnyReceiver): Promise<Server>
  /** Responds 200 after `handle`, or the status of the error of `verifyWebhook` with `{ code }`. */
  verifying(options: VerifierOptions, handle: Handle): Promise<Server>
  /** A body parser runs first. Absent if the framework has none. */
  readonly consumed?: { mount(receiver: Receiver): Promise<Server>; readonly fix: RegExp }
  /** An earlier middleware has paused the request. */
  readonly paused?: (receiver: Receiver) => Promise<Server>
  /** A body parser runs first and keeps the bytes, in each way that the framework's users know. */
  readonly kept?: Record<string, (receiver: Receiver) => Promise<Server>>
  /** Whether bodies are streams, or complete because a gateway has read them. */
  readonly streams: boolean
  /** Whether `payhook check` runs. Of the forms of one adapter, one will do. @default true */
  readonly isChecked?: boolean
}

const valid = fixture('outbound-payment-stringified')

/** What is sent, the status, the code, and the options of the receiver. */
type Row = [
  name: string,
  request: Sending,
  status: number,
  code?: string | undefined,
  options?: Partial<ReceiverOptions>,
]

const atMost = (maxBodyBytes: number) => ({ maxBodyBytes })
const callbackToken = 'a-long-random-token'
const token = { callbackToken }
const odd = { callbackToken: 'a+b/c d&é is a token' }
const FORM = 'application/x-www-form-urlencoded'
const twice = [String(valid.signature), String(valid.signature)]
const tooLong = Array.from({ length: 64 }, () => Buffer.alloc(16 * 1024, ' '))
const compressed = (encoding: string) => signed(valid, { 'content-encoding': encoding })
const at = (path: string): Sending => ({ ...signed(valid), path })

/** One table for every adapter: the request, and the reply that the sender gets. */
const rows: Row[] = [
  ['valid', signed(valid), 200],
  ['valid, as PUT', { ...signed(valid), method: 'PUT' }, 200],
  ['valid, as PATCH', { ...signed(valid), method: 'PATCH' }, 200],
  ['valid, without a content type', signed(valid, { 'content-type': [] }), 200],
  ['valid, as text', signed(valid, { 'content-type': 'text/plain' }), 200],
  ['valid, as a form', signed(valid, { 'content-type': FORM }), 200],
  ['valid, as anything', signed(valid, { 'content-type': 'garbage' }), 200],
  ['valid, identity encoding', compressed('identity'), 200],
  ['an unknown kind', signed(fixture('unknown-kind-stringified')), 200],
  ['a second client id', signed(fixture('second-client')), 200],
  ['chunked, byte by byte', { ...signed(valid), body: bytewise(valid.body) }, 200],
  ['exactly the limit', signed(valid), 200, undefined, atMost(valid.body.length)],
  ['tampered', signed(fixture('signature-tampered')), 401, 'signature_mismatch'],
  ['no signature', signed(fixture('signature-missing')), 401, 'signature_missing'],
  ['an empty signature', signed(valid, { 'access-signature': '' }), 401, 'signature_missing'],
  ['two signature headers', signed(fixture('signature-two-headers')), 401, 'signature_malformed'],
  ['the right signature twice', signed(valid, { 'access-signature': twice }), 401, 'signature_malformed'],
  ['empty', signed(fixture('body-empty')), 400, 'payload_not_json'],
  ['not UTF-8', signed(fixture('body-latin1')), 400, 'payload_not_utf8'],
  ['gzip', compressed('gzip'), 415, 'content_encoding_unsupported'],
  ['GET', { method: 'GET' }, 405, 'method_not_allowed'],
  ['DELETE', { method: 'DELETE' }, 405, 'method_not_allowed'],
  ['declared oversize', signed(valid), 413, 'body_too_large', atMost(valid.body.length - 1)],
  ['undeclared oversize', { ...signed(valid), body: tooLong }, 413, 'body_too_large', atMost(64 * 1024)],
  ['the callback token', at(`/?a=b&token=${callbackToken}`), 200, undefined, token],
  ['a token that needs escapes', at(`/?token=${encodeURIComponent(odd.callbackToken)}`), 200, undefined, odd],
  ['no callback token', signed(valid), 401, 'callback_token_mismatch', token],
  ['a wrong callback token', at(`/?token=${callbackToken}x`), 401, 'callback_token_mismatch', token],
  ['two callback tokens', at(`/?token=${callbackToken}&token=x`), 401, 'callback_token_mismatch', token],
  [
    'method before encoding',
    { method: 'GET', headers: { 'content-encoding': 'gzip' } },
    405,
    'method_not_allowed',
  ],
  ['encoding before length', compressed('br'), 415, 'content_encoding_unsupported', atMost(1)],
  ['length before token', signed(valid), 413, 'body_too_large', { ...atMost(1), callbackToken }],
  ['token before signature', signed(fixture('signature-missing')), 401, 'callback_token_mismatch', token],
  ['signature before payload', signed(fixture('signature-judged-before-body')), 401, 'signature_mismatch'],
]

/** The cases of `payhook check` that an adapter can change. The rest is the receiver's, and runs on one. */
const OF_ADAPTERS = [
  ...['spaces-around', 'utf-8', 'megabyte', 'no-limit', 'lowercase-header', 'charset', 'chunked', 'pieces'],
  ...['forged-types', 'forged-headers', 'forged-methods', 'forged-paths', 'forged-chunked'],
  'forged-megabyte',
  ...['body-truncated', 'signature-empty', 'signature-not-ascii', 'signature-twice', 'callback-token'],
  ...['keep-alive', 'genuine-beside-forged', 'stalled-sender', 'get', 'unsigned-empty', 'not-utf-8'],
  ...['in-the-end', 'reveals-secret'],
]

/** The contract of every HTTP adapter, tested over a real port. */
export function describeHttpAdapter(adapter: HttpAdapter): void {
  const { client = http1Client, isChecked = client === http1Client } = adapter
  let server: Server | undefined

  afterEach(async () => {
    await server?.close()
    server = undefined
  })

  async function send(mounted: Promise<Server>, request: Sending): Promise<Received> {
    server = await mounted
    return await client.send(server.port, request)
  }

  describe(`receiveWebhooks of ${adapter.name}`, () => {
    it.each(rows)('%s', async (_name, request, status, code, options) => {
      const { receiver, handled, rejected } = recording(options)
      const received = await send(adapter.receiving(receiver), request)
      expect({ status: received.status, code: received.json.code }).toEqual({ status, code })
      expect(received.headers['content-type']).toBe('application/json; charset=utf-8')
      // The sender gets one neutral sentence, without likely causes.
      if (status !== 200) expect(received.json.message).toMatch(/^[A-Z][\w, ]{10,40}\.$/)
      expect(handled).toHaveLength(status === 200 ? 1 : 0)
      expect(rejected.map((error) => error.code)).toEqual(code === undefined ? [] : [code])
    })

    it('passes the event and its context to the handler', async () => {
      const { receiver, handled } = recording()
      await send(adapter.receiving(receiver), signed(fixture('second-client')))
      const { event, context } = handled[0] as Handled
      expect(event).toEqual(fixture('second-client').expect)
      expect(context).toMatchObject({
        signature: fixture('second-client').signature,
        clientId: clients.second,
        kind: event.type,
        attempt: 1,
      })
      expect(Buffer.from(context.rawBody)).toEqual(fixture('second-client').body)
    })

    it('accepts the next request after a rejected one', async () => {
      const { receiver, handled } = recording({ maxBodyBytes: valid.body.length })
      const tooLong = { ...signed(valid), body: Buffer.concat([valid.body, Buffer.from(' ')]) }
      const rejected = await send(adapter.receiving(receiver), tooLong)
      const taken = await client.send((server as Server).port, signed(valid))
      expect([rejected.status, taken.status, handled.length]).toEqual([413, 200, 1])
    })

    it('does not mix up concurrent requests', async () => {
      const { receiver, handled } = recording()
      server = await adapter.receiving(receiver)
      const { port } = server
      const both = [valid, fixture('signature-tampered')]
      const statuses = await Promise.all(
        Array.from({ length: 50 }, async (_, index) => {
          return (await client.send(port, signed(both[index % 2] as FixtureCase))).status
        }),
      )
      expect(statuses).toEqual(Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? 200 : 401)))
      expect(handled).toHaveLength(25)
    })

    it("accepts an instance of the application's own receiver class", async () => {
      class Counting {
        count = 0
        readonly #receiver = recording().receiver
        receive(request: WebhookRequest): Promise<Reply> {
          this.count++
          return this.#receiver.receive(request)
        }
      }
      const counting = new Counting()
      expect((await send(adapter.receiving(counting), signed(valid))).status).toBe(200)
      expect(counting.count).toBe(1)
    })

    if (adapter.streams) {
      it('reports a sender that disconnects in the middle of a body', async () => {
        const { receiver, handled, rejected, whenRejected } = recording()
        server = await adapter.receiving(receiver)
        const request = await client.start(server.port, lengthOf(valid), valid.body.subarray(0, 100))
        request.destroy()
        await whenRejected
        expect(rejected).toMatchObject([{ code: 'body_incomplete', status: 400 }])
        expect(handled).toEqual([])
      })

      it('does not wait for the rest of a rejected body if the sender stalls', async () => {
        const { receiver, rejected } = recording({ bodyTimeoutMs: 50 })
        server = await adapter.receiving(receiver)
        const request = await client.start(server.port, lengthOf(valid), valid.body.subarray(0, 100))
        expect(await request.status).toBe(400)
        expect(rejected).toMatchObject([{ code: 'body_incomplete' }])
        await request.closed
      })

      it('responds to a sender that never stops, then disconnects it', async () => {
        const { receiver, rejected } = recording({ maxBodyBytes: 1000 })
        server = await adapter.receiving(receiver)
        expect(await sendEndlessly(client, server.port)).toBe(413)
        expect(rejected).toMatchObject([{ code: 'body_too_large' }])
      })
    }

    if (isChecked) {
      it('has nothing that payhook check finds', async () => {
        const logger = { warn() {}, error() {} }
        server = await adapter.receiving(createReceiver({ clientId: clients.default, callbackToken, logger }))
        const { results } = await checkReceiver({
          url: `http://127.0.0.1:${server.port}/?token=${callbackToken}`,
          clientId: clients.default,
          clientSecret: 'a-client-secret',
          only: adapter.name === 'payhook/node' ? undefined : OF_ADAPTERS,
        })
        const notPassed = results.filter(({ outcome }) => outcome !== 'passed')
        // A slow machine is no finding. The other one needs a URL without a token.
        const others = ['response-time', 'no-callback-token']
        expect(notPassed.filter(({ id }) => !others.includes(id))).toEqual([])
      })
    }

    const { consumed, paused, kept = {} } = adapter
    if (paused !== undefined) {
      it('reads a request that was already paused', async () => {
        const { receiver, handled } = recording()
        expect((await send(paused(receiver), signed(valid))).status).toBe(200)
        expect(handled).toHaveLength(1)
      })
    }

    if (consumed !== undefined) {
      it('fails at once if the body was consumed, and tells the application how to mount payhook', async () => {
        const { receiver, errors, handled } = recording()
        const received = await send(consumed.mount(receiver), signed(valid))
        // The advice is not for the sender.
        const message = 'The notification was not handled.'
        expect(received).toMatchObject({ status: 500, json: { code: 'body_consumed', message } })
        expect(errors).toMatchObject([
          { code: 'body_consumed', message: expect.stringMatching(consumed.fix) },
        ])
        expect(handled).toEqual([])
      })
    }

    it.each(Object.entries(kept))(
      'uses the raw body that was kept in %s, also an empty one',
      async (_, mount) => {
        const { receiver, handled, rejected } = recording()
        const headers = { 'content-type': 'application/json' }
        const empty = await send(mount(receiver), { headers, body: Buffer.alloc(0) })
        expect(empty).toMatchObject({ status: 401, json: { code: 'signature_missing' } })
        expect(rejected).toMatchObject([{ code: 'signature_missing' }])
        const { port } = server as Server
        expect((await client.send(port, signed(valid))).status).toBe(200)
        expect(handled).toMatchObject([{ event: valid.expect }])
      },
    )
  })

  describe(`verifyWebhook of ${adapter.name}`, () => {
    /** What the sender gets, and what the application. */
    async function verify(request: Sending, options: Partial<VerifierOptions> = {}) {
      const handle = vi.fn<Handle>()
      const mounted = adapter.verifying({ clientId: knownClients, ...options }, handle)
      return { received: await send(mounted, request), handled: handle.mock.calls }
    }

    it.each(rows)('%s', async (_name, request, status, code, options) => {
      const { received, handled } = await verify(request, options)
      expect({ status: received.status, code: received.json.code }).toEqual({ status, code })
      expect(handled).toHaveLength(status === 200 ? 1 : 0)
    })

    if (adapter.streams) {
      it('disconnects a sender that never stops after the response', async () => {
        server = await adapter.verifying({ clientId: knownClients, maxBodyBytes: 1000 }, () => {})
        expect(await sendEndlessly(client, server.port)).toBe(413)
      })
    }

    it('passes on the event and its context', async () => {
      const { handled } = await verify(signed(fixture('second-client')))
      const event = fixture('second-client').expect
      expect(handled).toMatchObject([[{ event, context: { clientId: clients.second } }]])
    })

    it('accepts custom kinds', async () => {
      const kinds = { SUBSCRIPTION_STATUS_UPDATED: z.looseObject({ id: z.number() }) }
      const { handled } = await verify(signed(fixture('unknown-kind-stringified')), { kinds })
      expect(handled).toMatchObject([[{ event: { type: 'SUBSCRIPTION_STATUS_UPDATED' } }]])
    })
  })
}

/** Sends until the connection is closed, and returns the status of the response. */
async function sendEndlessly(client: HttpClient, port: number): Promise<number> {
  const request = await client.start(port, {}, Buffer.alloc(500))
  const endless = setInterval(() => request.write(Buffer.alloc(500)), 1)
  const status = await request.status
  await request.closed
  clearInterval(endless)
  return status
}

interface Handled {
  readonly event: WebhookEvent
  readonly context: WebhookContext
}

/** A receiver that records what it gets. */
function recording(options: Partial<ReceiverOptions> = {}) {
  const handled: Handled[] = []
  const rejected: PayhookError[] = []
  const errors: PayhookError[] = []
  const receiver = createReceiver({ clientId: knownClients, ...options })
  const whenRejected = new Promise<void>((resolve) => {
    receiver.onRejected((error) => {
      rejected.push(error)
      resolve()
    })
  })
  receiver.on('UNRECOGNIZED', () => {})
  receiver.onAny((event, context) => handled.push({ event, context }))
  receiver.onError((error) => errors.push(error))
  return { receiver, handled, rejected, errors, whenRejected }
}

function signed({ body, signature }: FixtureCase, headers: Sending['headers'] = {}): Sending {
  const signatureHeader: Sending['headers'] = signature === null ? {} : { 'access-signature': signature }
  return { headers: { 'content-type': 'application/json', ...signatureHeader, ...headers }, body }
}

function lengthOf({ body, signature }: FixtureCase): Record<string, string> {
  return { 'content-length': String(body.length), 'access-signature': String(signature) }
}

function bytewise(body: Buffer): Buffer[] {
  return Array.from(body, (_byte, index) => body.subarray(index, index + 1))
}

import { describe, expect, it } from 'vitest'
import { EVENT_KINDS } from '../../src/events/kinds.ts'
import {
  createReceiver,
  parse,
  type Receiver,
  type ReceiverInbox,
  type ReceiverOptions,
  sign,
} from '../../src/index.ts'
import { createNotification } from '../../src/testing/index.ts'
import { clients, fixtureCases } from '../fixture-cases.ts'
import { serviceApi } from './documents.ts'

const SIGNATURE = 'a'.repeat(64)
const SILENT = { warn: () => {}, error: () => {} }

describe('a notification of the fixtures matches its webhook exactly if it is recognized', () => {
  const CANNOT_SAY: Readonly<Record<string, string>> = {
    'account-aliases': 'the older names of two fields',
    'payment-amount-too-long': 'the length of a number in plain notation',
  }
  const readable = fixtureCases.filter(({ name, body }) => isEnvelope(body) && !(name in CANNOT_SAY))

  it.each(readable)('$name', ({ body }) => {
    const { type } = parse(body)
    const found = serviceApi.checkNotification(body.toString(), SIGNATURE)
    expect({ type, found, isRight: found.length === 0 }).toMatchObject({ isRight: type !== 'UNRECOGNIZED' })
  })

  it('covers every kind', () => {
    const kinds = readable.map(({ body }) => parse(body)).map(({ type }) => type)
    expect(kinds).toEqual(expect.arrayContaining([...EVENT_KINDS, 'PAYMENT_STATUS_UPDATED']))
  })
})

function isEnvelope(body: Uint8Array): boolean {
  try {
    parse(body)
    JSON.parse(Buffer.from(body).toString())
    return true
  } catch {
    return false
  }
}

it('has the signature as a header', () => {
  const body = JSON.stringify({ type: 'VBA_TRANSACTION', data: '{}' })
  expect(serviceApi.checkNotification(body, SIGNATURE)).toEqual([])
  expect(serviceApi.checkNotification(body, SIGNATURE.toUpperCase())).toHaveLength(1)
})

describe('the replies of a receiver are documented', () => {
  const kind = 'ACCOUNT_STATUS_UPDATED'
  const clientId = clients.default
  const body = Buffer.from(createNotification(kind, { clientId }).body)
  const genuine = { 'access-signature': sign({ body, clientId }) }
  const options = { clientId, callbackToken: 'a'.repeat(32), maxBodyBytes: 1_000 }
  const receiver = createReceiver({ ...options, logger: SILENT })
  const request = { method: 'POST', url: `/?token=${'a'.repeat(32)}`, headers: genuine, body }
  const junk = Buffer.from('{')

  const create = (options: Partial<ReceiverOptions>) =>
    createReceiver({ clientId, logger: SILENT, ...options })
  const inboxThat = (put: ReceiverInbox['put']) => ({ put, start: async () => {}, stop: async () => {} })
  const fail = () => Promise.reject(new Error('no'))

  it.each<[number, string, object, Receiver?]>([
    [200, 'a notification', {}],
    [200, 'a duplicate', {}, create({ inbox: inboxThat(async () => 'duplicate') })],
    [401, 'another token', { url: '/' }],
    [401, 'no signature', { headers: {} }],
    [401, 'a malformed signature', { headers: { 'access-signature': 'x' } }],
    [401, 'another signature', { headers: { 'access-signature': SIGNATURE } }],
    [400, 'no JSON', { body: junk, headers: { 'access-signature': sign({ body: junk, clientId }) } }],
    [400, 'a body that ends early', { body: () => Promise.reject(new Error('reset')) }],
    [405, 'a GET', { method: 'GET' }],
    [413, 'a large body', { body: Buffer.alloc(1_001) }],
    [415, 'a compressed body', { headers: { ...genuine, 'content-encoding': 'gzip' } }],
    [500, 'a handler that throws', {}, create({}).onAny(fail)],
    [503, 'an inbox that cannot store', {}, create({ inbox: inboxThat(fail) })],
  ])('%i for %s', async (status, _what, change, to = receiver) => {
    const reply = await to.receive({ ...request, ...change })
    expect(reply).toMatchObject({ status })
    expect(serviceApi.checkReply(kind, reply)).toEqual([])
  })
})

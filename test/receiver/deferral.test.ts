import { channel } from 'node:diagnostics_channel'
import { describe, expect, it, vi } from 'vitest'
import {
  createReceiver,
  NonRetriableError,
  type ReceiverOptions,
  RetryAfterError,
  type RetryAfterOptions,
} from '../../src/index.ts'
import { respond } from '../client/exchange.ts'
import { clientOf, openService } from '../client/open-client.ts'
import { createSigned } from '../contracts/signed-notification.ts'
import { throwing } from '../contracts/throwing.ts'
import { createDirectReceiver } from '../effects/direct-inbox.ts'
import { clients } from '../fixture-cases.ts'
import { request } from './requests.ts'

const DAY = 86_400_000
const clientId = clients.default

/** A receiver whose handler throws, and the error that an inbox gets. */
async function attemptThat(throws: () => unknown, options: Partial<ReceiverOptions> = {}, now = 0) {
  const { receiver, attempt, logged } = createDirectReceiver({ now: () => now, ...options })
  const onError = vi.fn()
  receiver.onAny(throws).onError(onError)
  const outcomes: unknown[] = []
  const listen = (message: unknown) => void outcomes.push(message)
  channel('tracing:payhook:process:asyncEnd').subscribe(listen)
  const error: unknown = await attempt('1', { ...createSigned(1), receivedAt: new Date(0) }).catch(
    (thrown: unknown) => thrown,
  )
  channel('tracing:payhook:process:asyncEnd').unsubscribe(listen)
  return { error, outcomes, logged: logged.mock.calls, onError: onError.mock.calls }
}

describe('RetryAfterError', () => {
  it.each([0, -1, Number.NaN, Infinity, DAY + 1, 365 * DAY, '5', 5n, null, undefined])(
    'rejects %s as "afterMs"',
    (afterMs) => {
      const options = { afterMs } as RetryAfterOptions
      expect(() => new RetryAfterError('no order yet', options)).toThrow(
        new TypeError(`"afterMs" must be a number above 0, at most 86400000 (a day), but is ${afterMs}`),
      )
    },
  )

  it.each([0.5, 1, DAY])('accepts %d as "afterMs", and a cause', (afterMs) => {
    const error = new RetryAfterError('no order yet', { afterMs, cause: 'why' })
    expect(error).toMatchObject({
      name: 'RetryAfterError',
      code: 'retry_after',
      status: 503,
      afterMs,
      cause: 'why',
    })
    expect(error.expose).toBe(false)
  })

  it('gets through to the inbox, and nobody else hears of it', async () => {
    const notYet = new RetryAfterError('no order yet', { afterMs: 5 })
    const { error, outcomes, logged, onError } = await attemptThat(throwing(notYet), {}, DAY)
    expect(error).toBe(notYet)
    expect(outcomes).toMatchObject([{ outcome: 'deferred' }])
    expect(outcomes[0]).not.toHaveProperty('errorType')
    expect([logged, onError]).toEqual([[], []])
  })

  it('is an error like any other more than a day after the notification arrived', async () => {
    const notYet = new RetryAfterError('no order yet', { afterMs: 5 })
    const { error, outcomes, onError } = await attemptThat(throwing(notYet), {}, DAY + 1)
    expect(error).toMatchObject({ name: 'Error', cause: notYet })
    expect(outcomes).toMatchObject([{ outcome: 'retry', errorType: 'retry_after' }])
    expect(onError).toMatchObject([[{ code: 'handler_failed', cause: notYet }, { event: {} }]])
  })

  it.each([
    { code: 'retry_after', status: 503, afterMs: 5n },
    { code: 'request_rejected', status: 503, retryAfterMs: Number.NaN },
  ])('counts as a failure if it does not say until when: %o', async (fields) => {
    const odd = Object.assign(new NonRetriableError('odd'), fields)
    const { error, outcomes, onError } = await attemptThat(throwing(odd), {})
    expect(error).toMatchObject({ name: 'Error', cause: odd })
    expect(outcomes).toMatchObject([{ outcome: 'retry' }])
    expect(onError).toMatchObject([[{ code: 'handler_failed', cause: odd }, { event: {} }]])
  })

  it('may be what the option for what is true now rejects with', async () => {
    const notYet = new RetryAfterError('the replica lags', { afterMs: 5 })
    const handler = vi.fn()
    const { error, outcomes, onError } = await attemptThat(handler, { current: throwing(notYet) as never })
    expect(error).toBe(notYet)
    expect(outcomes).toMatchObject([{ outcome: 'deferred' }])
    expect(handler).not.toHaveBeenCalled()
    expect(onError).toEqual([])
  })
})

describe('NonRetriableError', () => {
  it('is reported as the last failure, and gets through to the inbox', async () => {
    const never = new NonRetriableError('not our order', { cause: 'why' })
    expect(never).toMatchObject({
      name: 'NonRetriableError',
      code: 'non_retriable',
      status: 500,
      cause: 'why',
    })
    const { error, outcomes, logged, onError } = await attemptThat(throwing(never))
    expect(error).toBe(never)
    expect(outcomes).toMatchObject([{ outcome: 'dead', errorType: 'non_retriable' }])
    expect(onError).toMatchObject([[{ code: 'handler_failed', cause: never }, { event: {} }]])
    expect(logged).toEqual([
      [expect.any(String), expect.not.objectContaining({ nextAttemptAt: expect.anything() })],
    ])
  })
})

describe('an ApiError that leaves a handler', () => {
  async function throwApiError(status: number, headers: Record<string, string>, now?: number) {
    const service = await openService()
    service.on('GET /svc/v1.0/thing', respond(status, '{"message":"busy"}', headers))
    const client = clientOf(service, { maxRetries: 0 })
    return await attemptThat(() => client.request({ method: 'GET', path: '/svc/v1.0/thing' }), {}, now)
  }

  const date = 'Fri, 01 Jan 2027 00:00:00 GMT'
  it.each([
    [429, { 'retry-after': '120' }, 120_000],
    [503, { 'retry-after': '120' }, 120_000],
    [503, { 'retry-after': 'Fri, 01 Jan 2027 00:05:00 GMT', date }, 300_000],
    [429, { 'retry-after': 'Thu, 31 Dec 2026 00:00:00 GMT', date }, 1_000],
    [429, { 'retry-after': '0' }, 1_000],
    [429, { 'retry-after': '9'.repeat(400) }, DAY],
  ])('with %d and %j is "not yet"', async (status, headers, afterMs) => {
    const { error, onError } = await throwApiError(status, headers)
    expect(error).toMatchObject({
      code: 'retry_after',
      afterMs,
      message: expect.stringMatching(/^ApiError: GET \/svc\/v1\.0\/thing got a \d+: busy/),
      cause: { name: 'ApiError', status },
    })
    expect(onError).toEqual([])
  })

  it.each<[number, Record<string, string>, number]>([
    [429, {}, 0],
    [503, { 'retry-after': 'soon' }, 0],
    [500, { 'retry-after': '120' }, 0],
    [409, { 'retry-after': '120' }, 0],
    [429, { 'retry-after': '120' }, DAY + 1],
  ])('with %d and %j is a failure, %d ms after the arrival', async (status, headers, now) => {
    const { error, onError } = await throwApiError(status, headers, now)
    expect(error).toMatchObject({ name: 'Error', cause: { name: 'ApiError', status } })
    expect(onError).toHaveLength(1)
  })
})

it('reports a value that answers true to everything like any other', async () => {
  const thrown = new Proxy({}, { get: () => true })
  const { error, onError } = await attemptThat(throwing(thrown))
  expect(error === thrown).toBe(true)
  expect(onError.map(([{ code, cause }]) => [code, cause === thrown])).toEqual([['handler_failed', true]])
})

it.each([new RetryAfterError('no order yet', { afterMs: 5 }), new NonRetriableError('not our order')])(
  '%s is a plain failure without an inbox',
  async (thrown) => {
    const receiver = createReceiver({ clientId, callbackToken: false, logger: { warn() {}, error() {} } })
    const onError = vi.fn()
    receiver.onAny(throwing(thrown)).onError(onError)
    const reply = await receiver.receive(request('outbound-payment-stringified'))
    expect(reply).toMatchObject({ status: 500, body: expect.stringContaining('"handler_failed"') })
    expect(reply.body).not.toContain('order')
    expect(onError.mock.calls).toMatchObject([[{ code: 'handler_failed', cause: thrown }, {}]])
  },
)

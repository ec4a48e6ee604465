import { once } from 'node:events'
import { stat } from 'node:fs'
import { connect } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { receiveWebhooks } from '../adapters/http/node.ts'
import { createReceiver } from '../src/index.ts'
import { withTimeLimit } from '../src/time-limit.ts'
import { mount } from './contracts/listen.ts'
import { clients, fixture } from './fixture-cases.ts'

const BODY_TIMEOUT_MS = 10_000
const { body, signature } = fixture('outbound-payment-stringified')

/** Sends a notification, its body with the head or after it, and counts the timers for a body. */
async function timersFor(sent: 'at once' | 'in two parts'): Promise<number> {
  const receiver = createReceiver({ clientId: clients.default })
  const seen = Promise.withResolvers<void>()
  const receive = receiveWebhooks(receiver)
  const port = await mount((request, response) => {
    void receive(request, response)
    setImmediate(() => setImmediate(seen.resolve))
  })
  const head = `POST / HTTP/1.1\r\nhost: x\r\naccess-signature: ${signature}\r\ncontent-length: ${body.length}\r\n\r\n`
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  const setTimeout = vi.spyOn(globalThis, 'setTimeout')
  onTestFinished(() => setTimeout.mockRestore())
  if (sent === 'at once') socket.write(Buffer.concat([Buffer.from(head), body]))
  else {
    socket.write(head)
    await seen.promise
    socket.write(body)
  }
  expect(String(await once(socket, 'data'))).toContain('HTTP/1.1 200 ')
  return setTimeout.mock.calls.filter(([, milliseconds]) => milliseconds === BODY_TIMEOUT_MS).length
}

it('sets a timer only for a body that does not arrive with its head', async () => {
  expect(await timersFor('at once')).toBe(0)
  expect(await timersFor('in two parts')).toBe(1)
})

it('rejects once the time is up', async () => {
  const never = new Promise<never>(() => {})
  await expect(withTimeLimit(never, 1, () => new Error('too slow'))).rejects.toThrow('too slow')
})

it('takes nothing for too late that settles before it has rejected', async () => {
  const done = Promise.withResolvers<string>()
  const expired = vi.fn(() => new Error('too slow'))
  const limited = withTimeLimit(done.promise, 20, expired)
  setImmediate(() => {
    setTimeout(done.resolve, 20, 'done')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60)
  })
  expect(await limited).toBe('done')
  await new Promise(setImmediate)
  expect(expired).not.toHaveBeenCalled()
})

it('counts what was there in time, although the event loop was blocked until later', async () => {
  const read = Promise.withResolvers<string>()
  const limited = withTimeLimit(read.promise, 20, () => new Error('too slow'))
  // The limit begins after the tick, just before this.
  setImmediate(() => {
    stat('.', () => read.resolve('read'))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
  })
  expect(await limited).toBe('read')
})

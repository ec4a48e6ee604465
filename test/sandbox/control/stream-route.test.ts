import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { EventLog } from '../../../src/sandbox/state/event-log.ts'
import { waitFor } from '../../contracts/wait-for.ts'
import { failsAtFirst, openSandbox, openSubscribed, receiver } from '../open-sandbox.ts'
import { requestToken, subscribe } from '../service/http-calls.ts'
import { control } from './control-calls.ts'

const KIND = 'VBA_TRANSACTION'

interface Event {
  id: string
  type: string
  data: Record<string, unknown>
}

/** Follows the stream; what has come is in `events`. */
async function follow(sandbox: { url: string }, lastEventId?: string) {
  const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
  const request = get(`${sandbox.url}/_sandbox/stream`, { headers })
  onTestFinished(() => void request.destroy())
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  expect(response.headers['content-type']).toBe('text/event-stream')
  const events: Event[] = []
  let text = ''
  response.on('error', () => {})
  response.on('data', (chunk: Buffer) => {
    const blocks = (text + chunk).split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)))
      if (fields.event) events.push({ id: fields.id, type: fields.event, data: JSON.parse(fields.data) })
    }
  })
  return { events, response, close: () => request.destroy() }
}

async function closed(response: IncomingMessage): Promise<void> {
  await new Promise((resolve) => response.on('close', resolve))
}

it('tells of faults and resets, whoever causes them', async () => {
  const sandbox = await openSandbox()
  const { events } = await follow(sandbox)
  await control(sandbox, 'PUT faults', { duplicate: 1, api: { status: 503 } })
  sandbox.setFaults(undefined)
  await control(sandbox, 'POST reset')
  await waitFor(() => events.some(({ type }) => type === 'reset'))
  expect(events.map(({ type, data }) => [type, data])).toEqual([
    ['faults', { duplicate: 1, api: { status: 503 } }],
    ['faults', {}],
    ['reset', {}],
  ])
})

it('tells of configurations, requests and deliveries as they change', async () => {
  const sandbox = await openSandbox()
  const { url } = await receiver(failsAtFirst)
  const { events } = await follow(sandbox)
  await subscribe(sandbox, KIND, url)
  await sandbox.trigger(KIND)
  await waitFor(() => events.length >= 6)
  expect(events.map(({ type, data }) => [type, data.path ?? data.state ?? data.event])).toEqual([
    ['request', '/oauth/token'],
    ['configuration', KIND],
    ['request', '/svc/v1.2/webhooks'],
    ['delivery', 'pending'],
    ['delivery', 'pending'],
    ['delivery', 'delivered'],
  ])
  expect(events[5]?.data).toMatchObject({ kind: KIND, attempts: [{ status: 500 }, { status: 200 }] })
  expect(events[5]?.data).not.toHaveProperty('body')
})

it('goes on after the Last-Event-ID, without a gap or a repetition', async () => {
  const sandbox = await openSandbox()
  const first = await follow(sandbox)
  await requestToken(sandbox)
  await waitFor(() => first.events.length)
  first.close()
  await requestToken(sandbox)
  await requestToken(sandbox)
  const { events } = await follow(sandbox, first.events[0]?.id)
  await waitFor(() => events.length >= 2)
  expect(events.map(({ type }) => type)).toEqual(['request', 'request'])
  expect(new Set([first.events[0]?.id, ...events.map(({ id }) => id)]).size).toBe(3)
  const unknown = await follow(sandbox, `${first.events[0]?.id}.5`)
  await waitFor(() => unknown.events.length)
  expect(unknown.events).toMatchObject([{ type: 'reset' }])
})

it.each(['00000000-5', 'x', ''])('says with reset that events after %j are gone', async (id) => {
  const sandbox = await openSandbox()
  const { events } = await follow(sandbox, id)
  await waitFor(() => events.length)
  expect(events).toMatchObject([{ type: 'reset' }])
})

it('brings thousands of deliveries to a reader, each pending and settled', async () => {
  const { sandbox } = await openSubscribed(KIND)
  const { events } = await follow(sandbox)
  await sandbox.trigger(KIND, {}, { faults: { burst: 2_000, drop: true } })
  await waitFor(() => events.length >= 4_000)
  const states = new Map(events.map(({ data }) => [data.id, data.state]))
  expect(states.size).toBe(2_000)
  expect(new Set(states.values())).toEqual(new Set(['dropped']))
})

it('drops a reader that takes nothing, and goes on for the others', async () => {
  const { sandbox } = await openSubscribed(KIND)
  const slow = await follow(sandbox)
  slow.response.pause()
  const end = closed(slow.response)
  // Every event has the kind, so these 44 MB are nearly three times what the log keeps.
  await sandbox.trigger('x'.repeat(20_000), {}, { faults: { burst: 1_100, drop: true } })
  slow.response.resume()
  await end
  const { events } = await follow(sandbox)
  await sandbox.trigger(KIND)
  await waitFor(() => events.length >= 2)
})

it('keeps no reader that has gone, or never reads', async () => {
  const log = new EventLog()
  const { addStreamRoute } = await import('../../../src/sandbox/control/stream-route.ts')
  const { Hono } = await import('hono')
  const app = new Hono()
  let readers = 0
  const onAppend = log.onAppend.bind(log)
  log.onAppend = (wake) => {
    const forget = onAppend(wake)
    readers++
    return () => {
      readers--
      forget()
    }
  }
  addStreamRoute(app, log)
  const response = await app.request('/_sandbox/stream')
  expect(readers).toBe(1)
  await response.body?.cancel()
  expect(readers).toBe(0)
  await app.request('/_sandbox/stream', { method: 'HEAD' })
  expect(readers).toBe(0)
})

it('ends when the sandbox is closed', async () => {
  const sandbox = await openSandbox()
  const { response } = await follow(sandbox)
  const end = closed(response)
  await sandbox.close()
  await end
})

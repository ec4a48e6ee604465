import { rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { sign } from '../../src/index.ts'
import { createNotification } from '../../src/testing/index.ts'
import { pass, respond } from '../client/exchange.ts'
import { startService } from '../client/service-by-the-book.ts'
import { waitFor } from '../contracts/wait-for.ts'
import { openSandbox, receiver } from '../sandbox/open-sandbox.ts'
import { openReceiver } from '../sandbox/receiver-of-notifications.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { CLIENT_ID, payhook, startPayhook } from './payhook.ts'
import { spawnPayhook } from './payhook-process.ts'

const KIND = 'INBOUND_PAYMENT_STATUS_UPDATED'
const notification = createNotification(KIND, { clientId: CLIENT_ID, data: { id: '9223372036854775807' } })

async function listen(args: string[] = [], env: Record<string, string> = {}) {
  const running = startPayhook(['listen', '--port', '0', '--json', ...args], { env })
  const { listening: url } = JSON.parse(await running.printed(/\n/)) as { listening: string }
  /** The attempts that were printed, once there are so many. */
  async function attempts(count: number) {
    return await waitFor(() => {
      const lines = running.stdout().trimEnd().split('\n').slice(1)
      return lines.length >= count && lines.map((line) => JSON.parse(line))
    })
  }
  return { running, url, attempts }
}

async function openService() {
  const sandbox = await openSandbox()
  const { url: baseUrl, clientId, clientSecret } = sandbox
  const env = { PAYHOOK_BASE_URL: baseUrl, PAYHOOK_CLIENT_SECRET: clientSecret }
  return { ...sandbox, env, client: createClient({ baseUrl, clientId, clientSecret }) }
}

/** A service that keeps deleted configurations, and whose responses a test can choose. */
async function openBookService(changes: Parameters<typeof startService>[0] = {}) {
  const service = await startService({ clientId: CLIENT_ID, ...changes })
  onTestFinished(() => service.close() as Promise<never>)
  const env = { PAYHOOK_BASE_URL: service.url, PAYHOOK_CLIENT_SECRET: service.behavior.clientSecret }
  return { service, env }
}

describe('payhook listen', () => {
  it('responds as a receiver does, and prints verdict, kind, id, status and data of each attempt', async () => {
    const { running, url, attempts } = await listen()
    expect(await fetch(url, notification)).toMatchObject({ status: 200 })
    const tampered = { ...notification, body: `${notification.body}\n` }
    expect(await fetch(url, tampered)).toMatchObject({ status: 401 })
    expect(await attempts(2)).toMatchObject([
      {
        version: 1,
        verdict: 'verified',
        kind: KIND,
        id: '9223372036854775807',
        status: 'Complete',
        response: 200,
      },
      {
        verdict: 'signature_mismatch',
        why: expect.stringContaining('ends with a newline'),
        kind: KIND,
        response: 401,
      },
    ])
    expect(await running.stop()).toBe(130)
  })

  it('prints one aligned line an attempt, without control characters of the sender', async () => {
    const running = startPayhook(['listen', '--port', '0'])
    const url = await waitFor(() => /http:\S+/.exec(running.stderr())?.[0])
    await fetch(url, notification)
    await fetch(url, createNotification(KIND, { clientId: 'other', data: { status: '\x1b[31mred\n' } }))
    const lines = (await running.printed(/mismatch.*\n/)).trimEnd().split('\n')
    expect(lines).toEqual([
      expect.stringMatching(
        /^\d\d:\d\d:\d\d\.\d{3} {2}verified {14}INBOUND_\S+ +9223372036854775807 +Complete +200 +\d+ ms$/,
      ),
      expect.stringMatching(
        /^\S+ {2}signature_mismatch {4}INBOUND_\S+ +48121 +\\u001b\[31mred +401 +\d+ ms +The signature/,
      ),
    ])
  })

  it('fits the line of an attempt to the terminal, and shows the reason below it', async () => {
    const running = startPayhook(['listen', '--port', '0'], { columns: 80, env: { NO_COLOR: '1' } })
    const url = await waitFor(() => /http:\S+/.exec(running.stderr())?.[0])
    await fetch(url, createNotification(KIND, { clientId: 'other' }))
    const lines = (await running.printed(/mismatch.*\n.*\n/)).split('\n')
    const line = lines.findIndex((each) => each.includes('mismatch'))
    expect(lines[line]?.length).toBeLessThanOrEqual(80)
    expect(lines[line + 1]).toMatch(/^ {2}The signature/)
  })

  it('accepts data that is nested too deeply for a line of JSON', async () => {
    const { url, attempts } = await listen()
    const body = `{"type":"VBA_TRANSACTION","data":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
    const headers = { 'access-signature': sign({ body, clientId: CLIENT_ID }) }
    expect(await fetch(url, { method: 'POST', headers, body })).toMatchObject({ status: 200 })
    expect(await attempts(1)).toMatchObject([{ verdict: 'verified', kind: 'VBA_TRANSACTION', response: 200 }])
  })

  it('prints only the kind and the status that are asked for', async () => {
    const { url, attempts } = await listen(['--kind', KIND, '--status', 'Sent'])
    await fetch(url, createNotification('VBA_TRANSACTION', { clientId: CLIENT_ID }))
    await fetch(url, notification)
    await fetch(url, createNotification(KIND, { clientId: CLIENT_ID, data: { status: 'Sent' } }))
    expect(await attempts(1)).toMatchObject([{ status: 'Sent' }])
  })

  it('forwards the exact request, and returns the exact bytes of the response', async () => {
    const bytes = Buffer.from([0xff, 0x00, 0xc3, 0x28])
    const application = await receiver((response) =>
      response.writeHead(503, { 'content-type': 'image/png' }).end(bytes),
    )
    const { url, attempts } = await listen(['--forward', `${application.url}?own=1`])
    const { body, headers } = notification
    const response = await fetch(`${url}?token=secret`, { method: 'POST', body, headers })
    expect([response.status, response.headers.get('content-type')]).toEqual([503, 'image/png'])
    expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes)
    expect(application.arrivals).toMatchObject([
      { method: 'POST', path: '/hooks?own=1&token=secret', body, genuine: true },
    ])
    expect(await attempts(1)).toMatchObject([{ verdict: 'verified', response: 503 }])
  })

  it('responds 502 and says why if there is no server where it forwards', async () => {
    const { url, attempts } = await listen(['--forward', 'http://127.0.0.1:1/'])
    expect(await fetch(url, notification)).toMatchObject({ status: 502 })
    expect(await attempts(1)).toMatchObject([
      { why: expect.stringContaining('No response from http://127.0.0.1:1/') },
    ])
  })

  it('exits 130 on Ctrl-C while it waits for the response of the application', async () => {
    const application = await receiver(() => {})
    const { running, url, attempts } = await listen(['--forward', application.url])
    const pending = fetch(url, notification).catch(() => {})
    await waitFor(() => application.arrivals.length === 1)
    expect(await running.stop()).toBe(130)
    expect(await attempts(1)).toMatchObject([{ why: expect.stringMatching(/This operation was aborted$/) }])
    await pending
  })

  it('forwards a request whose path is not that of a URL', async () => {
    const application = await receiver()
    const { url, attempts } = await listen(['--forward', `${application.url}?own=1`])
    const request = connect(Number(new URL(url).port), '127.0.0.1')
    request.end('POST //?token=a%20b HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}')
    expect(await attempts(1)).toMatchObject([{ verdict: 'signature_missing', response: 200 }])
    request.destroy()
    expect(application.arrivals).toMatchObject([
      { path: expect.stringMatching(/\?own=1&token=a\+b$/), body: '{}' },
    ])
  })

  it('keeps what was verified in an inbox, and marks a duplicate', async () => {
    const inbox = `sqlite:${join(temporaryFolder(), 'inbox.db')}`
    const { running, url, attempts } = await listen(['--inbox', inbox])
    for (const each of [notification, notification, { ...notification, body: '{}' }]) await fetch(url, each)
    expect(await attempts(3)).toMatchObject(
      ['verified', 'duplicate', 'signature_mismatch'].map((verdict) => ({ verdict })),
    )
    await running.stop()
    expect((await payhook(['inbox', 'counts', inbox])).stdout).toMatch(/^waiting {4}1\n/)
  })

  it('responds 503 and does not forward what its inbox cannot store', async () => {
    const path = join(temporaryFolder(), 'inbox.db')
    const application = await receiver()
    const { url, attempts } = await listen(['--inbox', `sqlite:${path}`, '--forward', application.url])
    rmSync(path)
    let id = 0
    await waitFor(async () => {
      const next = createNotification(KIND, { clientId: CLIENT_ID, data: { id: ++id } })
      return (await fetch(url, next)).status === 503
    })
    expect(application.arrivals).toHaveLength(id - 1)
    expect(await attempts(id)).toContainEqual(
      expect.objectContaining({ verdict: 'inbox_unavailable', response: 503 }),
    )
  })

  it('registers its URL, and deletes that at the end and nothing else', async () => {
    const { client, env, trigger } = await openService()
    const other = await client.webhooks.create({ event: KIND, callbackUrl: 'http://127.0.0.1:1/' })
    const { running, attempts } = await listen(['--register'], env)
    await trigger('ACCOUNT_STATUS_UPDATED')
    expect(await attempts(1)).toMatchObject([{ kind: 'ACCOUNT_STATUS_UPDATED', verdict: 'verified' }])
    await running.stop()
    expect(await client.webhooks.list()).toMatchObject([{ id: other.id }])
  })

  it('says what it registers, and deletes it when it is terminated or its reader ends', async () => {
    const { client, env, trigger } = await openService()
    const args = ['listen', '--port', '0', '--register']
    const running = startPayhook(args, { env })
    await waitFor(() => running.stderr().includes('is registered for all 10 kinds'))
    expect(await client.webhooks.list()).toHaveLength(10)
    expect(await running.stop('SIGHUP')).toBe(129)
    expect(await client.webhooks.list()).toEqual([])
    const terminated = spawnPayhook(args, { env })
    await waitFor(() => terminated.stderr().includes('is registered for'))
    expect(await terminated.stop('SIGTERM')).toBe(143)
    expect(await client.webhooks.list()).toEqual([])
    const piped = spawnPayhook(args, { env })
    await waitFor(() => piped.stderr().includes('is registered for'))
    piped.child.stdout.destroy()
    await trigger(KIND)
    expect(await piped.ended()).toBe(0)
    expect(await client.webhooks.list()).toEqual([])
  })

  it('does not register what is registered, which would come twice', async () => {
    const { client, env } = await openService()
    const url = 'https://shop.example/hooks'
    const { id } = await client.webhooks.create({ event: KIND, callbackUrl: url })
    const running = startPayhook(['listen', '--port', '0', '--register', url], { env })
    await waitFor(() => running.stderr().includes('is registered for all 10 kinds'))
    expect(await client.webhooks.list()).toHaveLength(10)
    await running.stop()
    expect(await client.webhooks.list()).toMatchObject([{ id }])
  })

  it('registers again what a service lists as deleted', async () => {
    const { service, env } = await openBookService({ listsInactive: true })
    const args = ['listen', '--port', '0', '--register', 'https://shop.example/hooks']
    for (const _ of ['first', 'second']) {
      const running = startPayhook(args, { env })
      await waitFor(() => running.stderr().includes('is registered for all 10 kinds'))
      expect(service.webhooks.active()).toHaveLength(10)
      await running.stop()
      expect(service.webhooks.active()).toEqual([])
    }
  })

  it('deletes what it registered if it could not register all', async () => {
    const { service, env } = await openBookService()
    service.on('POST /svc/v1.2/webhooks', [pass, respond(422)])
    expect(await payhook(['listen', '--port', '0', '--register'], { env })).toMatchObject({ code: 1 })
    expect(service.webhooks.configurations).not.toEqual([])
    expect(service.webhooks.active()).toEqual([])
  })

  it('ends on Ctrl-C before the service has responded', async () => {
    const { url, arrivals } = await receiver(() => {})
    const env = { PAYHOOK_BASE_URL: new URL(url).origin, PAYHOOK_CLIENT_SECRET: 'secret' }
    const running = startPayhook(['listen', '--port', '0', '--register'], { env })
    await waitFor(() => arrivals.length > 0)
    expect(await running.stop()).toBe(130)
    expect(arrivals).toHaveLength(1)
  })

  it('ends although the service hangs, and says what is still registered', async () => {
    const { client, env, setFaults } = await openService()
    const running = startPayhook(['listen', '--port', '0', '--register', '--kind', KIND], { env })
    await waitFor(() => running.stderr().includes('is registered for'))
    const [{ id } = { id: '' }] = await client.webhooks.list()
    setFaults({ api: { delayMs: 3_600_000 } })
    expect(await running.stop()).toBe(130)
    expect(running.stderr()).toContain(`payhook webhooks delete ${id}`)
  })

  it('exits 2 if it would forward to itself, and 1 if the port is in use', async () => {
    const { port, close } = await openReceiver()
    const listenHere = (...more: string[]) => payhook(['listen', '--port', `${port}`, ...more])
    expect(await listenHere()).toMatchObject({ code: 1, stderr: expect.stringContaining('is in use') })
    await close()
    for (const host of ['127.0.0.1', 'localhost']) {
      const outcome = await listenHere('--forward', `http://${host}:${port}/`)
      expect(outcome).toMatchObject({ code: 2, stderr: expect.stringContaining('--forward must be') })
    }
  })
})

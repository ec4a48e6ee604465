import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { waitFor } from '../contracts/wait-for.ts'
import { fails, openSubscribed, receiver } from '../sandbox/open-sandbox.ts'
import { dataOf } from '../sandbox/receiver-of-notifications.ts'
import { subscribe } from '../sandbox/service/http-calls.ts'
import { jsonLinesOf, payhook, payhookJson, startPayhook } from './payhook.ts'
import { spawnPayhook } from './payhook-process.ts'

const KIND = 'INBOUND_PAYMENT_STATUS_UPDATED'

/** A sandbox that notifies a receiver of the kind, and the command line that is told of it. */
async function openRunning(...respond: Parameters<typeof receiver>) {
  const { sandbox, url, arrivals } = await openSubscribed(KIND, ...respond)
  const env = { PAYHOOK_BASE_URL: sandbox.url }
  const call = (...args: string[]) => payhook(args, { env })
  return { sandbox, env, call, url, arrivals }
}

describe('payhook trigger', () => {
  it('has an event happen, to the last digit, and exits 0 if it was delivered', async () => {
    const { call, arrivals } = await openRunning()
    const data = '{"status":"Sent","amount":{"number":12345678901234567.89}}'
    const outcome = await call('trigger', KIND, '--data', data, '--json')
    expect(outcome.code).toBe(0)
    expect(jsonLinesOf(outcome)).toMatchObject([
      { version: 1, kind: KIND, state: 'delivered', attempts: [{ status: 200 }] },
    ])
    expect(JSON.parse(arrivals[0]?.body ?? '').data).toContain('12345678901234567.89')
  })

  it('sends the exact bytes of a body for any kind', async () => {
    const { env, arrivals } = await openRunning()
    const { code } = await payhook(['trigger', 'SHOP_ORDER', '--body', '-'], { env, stdin: 'as it is\n' })
    expect(code).toBe(0)
    expect(arrivals).toMatchObject([{ body: 'as it is\n', genuine: true }])
  })

  it('exits 1 if the receiver rejects it, and if nobody is registered', async () => {
    const { call } = await openRunning(fails)
    const stdout = expect.stringMatching(/failed +INBOUND\S+ +payment:\d+ +Complete +500, 500, 500/)
    expect(await call('trigger', KIND)).toMatchObject({ code: 1, stdout })
    const stderr = expect.stringContaining('no URL is registered')
    expect(await call('trigger', 'VBA_TRANSACTION')).toMatchObject({ code: 1, stdout: '', stderr })
  })

  it('says what to do if no sandbox runs, another server does, or its address is not a URL', async () => {
    const { origin } = new URL((await receiver((response) => response.writeHead(404).end('not here'))).url)
    for (const [url, code, message] of [
      ['http://127.0.0.1:1', 1, 'payhook sandbox'],
      [origin, 1, 'is not a sandbox'],
      ['shop', 2, 'PAYHOOK_BASE_URL must be'],
    ] as const) {
      const outcome = await payhook(['trigger', KIND], { env: { PAYHOOK_BASE_URL: url } })
      expect(outcome).toMatchObject({ code, stderr: expect.stringContaining(message) })
    }
  })

  it('names the nearest kind if it does not know the kind', async () => {
    const { call, env } = await openRunning()
    expect(await call('trigger', KIND)).toMatchObject({ code: 0, stderr: '' })
    const warning = 'payhook does not know the kind VBA_TRANSACTON. Did you mean VBA_TRANSACTION?'
    expect(await payhookJson(['trigger', 'VBA_TRANSACTON'], { env })).toMatchObject({
      code: 0,
      stdout: [{ kind: 'VBA_TRANSACTON', state: 'delivered' }],
      stderr: [{ version: 1, warning }],
    })
  })
})

describe('payhook deliveries and redeliver', () => {
  it('prints a table that fits the terminal, with status and response, and says that a list is empty', async () => {
    const { sandbox, call, env } = await openRunning()
    expect(await call('deliveries')).toEqual({ code: 0, stdout: '', stderr: 'No deliveries.\n' })
    await sandbox.trigger(KIND)
    const [delivery] = sandbox.deliveries()
    const { stdout } = await payhook(['deliveries'], { env: { ...env, NO_COLOR: '1' }, columns: 80 })
    const lines = stdout.trimEnd().split('\n')
    expect(lines).toEqual([
      expect.stringMatching(/^TIME +ID +STATE +KIND/),
      expect.stringMatching(
        new RegExp(`${delivery?.id.slice(0, 8)} {2}delivered {2}INBOUND\\S*… {2}payment:\\d+ +Complete +200`),
      ),
    ])
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
  })

  it('marks what the receiver had received before', async () => {
    const { sandbox, call } = await openRunning((response, _, count) => {
      response.end(JSON.stringify({ received: true, ...(count > 1 && { duplicate: true }) }))
    })
    await sandbox.trigger(KIND)
    const stdout = expect.stringContaining('  200 duplicate  ')
    const id = sandbox.deliveries()[0]?.id ?? ''
    expect(await call('redeliver', id)).toMatchObject({ code: 0, stdout })
    expect((await call('deliveries')).stdout).toMatch(/200 duplicate.*\n.* 200 {2}/)
  })

  it('lists and shows what was sent, and sends it again as it was and edited', async () => {
    const { sandbox, call, env, arrivals } = await openRunning()
    await sandbox.trigger(KIND, { id: '9223372036854775807' })
    await sandbox.trigger(KIND, { id: '987654321' })
    const newest = await call('deliveries', '--limit', '1')
    expect(newest).toMatchObject({ code: 0, stderr: '1 of 2; --limit prints more.\n' })
    expect((await call('deliveries')).stdout.trimEnd().split('\n')).toHaveLength(2)
    const [found, ...others] = jsonLinesOf(
      await call('deliveries', '--search', '9223372036854775807', '--state', 'delivered', '--json'),
    )
    expect({ found, others }).toMatchObject({ found: { kind: KIND }, others: [] })

    const shown = await call('deliveries', found.id)
    expect(shown.stdout).toMatch(
      new RegExp(`^ACCESS-SIGNATURE +${arrivals[0]?.headers['access-signature']}$`, 'm'),
    )
    expect(shown.stdout).toContain(`\n    "id": 9223372036854775807,\n`)
    expect((await call('deliveries', found.id, '--body')).stdout).toBe(arrivals[0]?.body)

    expect((await call('redeliver', found.id.slice(0, 8))).code).toBe(0)
    expect((await payhook(['redeliver', found.id, '--body', '-'], { env, stdin: 'edited' })).code).toBe(0)
    expect(arrivals.slice(2).map(({ body, genuine }) => [body, genuine])).toEqual([
      [arrivals[0]?.body, true],
      ['edited', true],
    ])
    expect(await call('redeliver', 'no-such-id')).toMatchObject({ code: 1, stdout: '' })
  })

  it('shows a delivery without the password of its URL, also in a header', async () => {
    const { sandbox, call, url } = await openRunning()
    await subscribe(sandbox, 'VBA_TRANSACTION', url.replace('://', '://shop:hidden@'))
    const [delivery] = await sandbox.trigger('VBA_TRANSACTION')
    const { stdout } = await call('deliveries', delivery?.id ?? '')
    expect(stdout).toContain('shop:…@')
    expect(stdout).not.toMatch(/hidden|c2hvcDpoaWRkZW4=/)
  })
})

describe('payhook deliveries --follow', () => {
  it('prints what is settled from then on, until Ctrl-C', async () => {
    const { sandbox, env } = await openRunning()
    await sandbox.trigger(KIND, { id: 1 })
    const following = startPayhook(['deliveries', '--follow', '--kind', KIND], { env })
    await waitFor(() => following.stderr().includes('Following'))
    await sandbox.trigger('SOMETHING_ELSE')
    for (const id of [2, 3]) await sandbox.trigger(KIND, { id })
    await following.printed(/payment:3/)
    expect(following.stdout()).toMatch(/^\S+ +\S+ +delivered +INBOUND\S+ +payment:2 .*\n.* payment:3 .*\n$/)
    expect(await following.stop()).toBe(130)
  })

  it('exits 1 when the sandbox ends', async () => {
    const { sandbox, env } = await openRunning()
    const following = startPayhook(['deliveries', '--follow'], { env })
    await waitFor(() => following.stderr().includes('Following'))
    await sandbox.close()
    expect(await following.ended()).toBe(1)
    expect(following.stderr()).toContain('There is no sandbox at')
  })

  it('exits 1 when the sandbox disconnects it, as a reader that is too slow', async () => {
    const { url } = await receiver((response) => response.end(': connected\n\n'))
    const env = { PAYHOOK_BASE_URL: new URL(url).origin }
    const outcome = await payhook(['deliveries', '--follow'], { env })
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining('read too slowly') })
  })

  it('ends at the first Ctrl-C, even if nobody reads its output', async () => {
    const { sandbox, env } = await openRunning()
    const { child, ...following } = spawnPayhook(['deliveries', '--follow', '--json'], { env })
    await waitFor(() => sandbox.trigger('FIRST').then(() => following.stdout() !== ''))
    child.stdout.pause()
    await sandbox.trigger('K'.repeat(1_000_000))
    await waitFor(() => child.stdout.readableLength > 50_000)
    child.kill('SIGINT')
    expect(await following.ended()).toBe(130)
  })
})

describe('payhook walk', () => {
  it.each(['payment', 'invoice'])('walks a new %s through statuses', async (resource) => {
    const { sandbox, call, url, arrivals } = await openRunning()
    if (resource === 'invoice') await subscribe(sandbox, 'OUTBOUND_INVOICE_STATUS_UPDATED', url)
    const outcome = await call('walk', resource, 'Sent', 'Closed', '--data', '{"id":4711}', '--json')
    expect(outcome).toMatchObject({ code: 0, stderr: '' })
    expect(arrivals.map((arrival) => dataOf(arrival).status).sort()).toEqual(['Closed', 'Sent'])
  })

  it('waits for the end of a walk longer than fetch does, which gives up after five minutes', async () => {
    const { call } = await openRunning()
    onTestFinished(() => void vi.unstubAllGlobals())
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed')))
    expect(await call('walk', 'payment', 'Sent')).toMatchObject({ code: 0 })
  })

  it('names the nearest status if it does not know the status', async () => {
    const { call } = await openRunning()
    const stderr = expect.stringContaining('the status Complet. Did you mean Complete?')
    expect(await call('walk', 'payment', 'Complet')).toMatchObject({ code: 0, stderr })
  })
})

it('payhook faults prints, replaces and removes the faults', async () => {
  const { sandbox, call, arrivals } = await openRunning()
  expect((await call('faults')).stdout).toBe('none\n')
  const set = await call('faults', 'duplicate=1,signature=wrong', '--json')
  expect(jsonLinesOf(set)).toMatchObject([{ version: 1, faults: { duplicate: 1, signature: 'wrong' } }])
  await sandbox.trigger(KIND)
  expect(arrivals.map(({ genuine }) => genuine)).toEqual([false, false])
  expect((await call('faults', 'none')).stdout).toBe('none\n')
})

describe('payhook wait', () => {
  it('exits 0 with --ready if the sandbox is ready, and 1 if there is none', async () => {
    const { sandbox, call } = await openRunning()
    expect(await call('wait', '--ready')).toEqual({ code: 0, stdout: `${sandbox.url}\n`, stderr: '' })
    const env = { PAYHOOK_BASE_URL: 'http://user:hidden@127.0.0.1:1' }
    const nobody = await payhook(['wait', '--ready', '--timeout', '10ms'], { env })
    expect(nobody).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('no sandbox at') })
    expect(nobody.stderr).not.toContain('hidden')
  })

  it('exits 0 once enough were delivered, before or while it waits', async () => {
    const { sandbox, env } = await openRunning()
    await sandbox.trigger(KIND, { status: 'Sent' })
    await sandbox.trigger(KIND, { status: 'Complete' })
    const args = ['wait', '--kind', KIND, '--status', 'Complete', '--json']
    expect(jsonLinesOf(await payhook(args, { env }))).toMatchObject([
      { version: 1, kind: KIND, state: 'delivered' },
    ])
    const waiting = startPayhook([...args, '--count', '2'], { env })
    await sandbox.trigger(KIND, { status: 'Complete' })
    await waiting.printed(/.*\n.*\n/)
    expect(await waiting.ended()).toBe(0)
  })

  it('exits 1 if they do not come in time', async () => {
    const { env } = await openRunning()
    const error = { code: 'timed_out', message: '0 of 1 were delivered after 0.01 s.' }
    const late = await payhookJson(['wait', '--timeout', '10ms'], { env })
    expect(late).toMatchObject({ code: 1, stdout: [], stderr: [{ error }] })
  })

  it('exits 1 in time if the sandbox does not respond', async () => {
    const { port } = await receiver(() => {})
    const env = { PAYHOOK_BASE_URL: `http://127.0.0.1:${port}` }
    const stderr = expect.stringContaining('does not respond')
    expect(await payhook(['wait', '--timeout', '10ms'], { env })).toMatchObject({ code: 1, stderr })
  })

  it('reads the deliveries only once there are enough', async () => {
    const { sandbox } = await openRunning()
    const { port, arrivals } = await receiver(async (response, { path }) => {
      response.end(await (await fetch(`${sandbox.url}${path}`)).text())
    })
    await sandbox.trigger(KIND)
    const waiting = startPayhook(['wait', '--count', '2'], {
      env: { PAYHOOK_BASE_URL: `http://127.0.0.1:${port}` },
    })
    await waitFor(() => arrivals.length > 0)
    expect(arrivals[0]?.path).toContain('limit=1')
    await sandbox.trigger(KIND)
    await waiting.printed(/.*\n.*\n/)
    expect(await waiting.ended()).toBe(0)
  })

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('is ended by %s with %i while the sandbox does not respond', async (signal, code) => {
    const { port, arrivals } = await receiver(() => {})
    const waiting = startPayhook(['wait'], { env: { PAYHOOK_BASE_URL: `http://127.0.0.1:${port}` } })
    await waitFor(() => arrivals.length > 0)
    expect(await waiting.stop(signal)).toBe(code)
    expect(waiting.stderr()).toBe('Waiting for 1 of any kind.\n')
  })
})

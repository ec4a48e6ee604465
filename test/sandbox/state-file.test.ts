import { mkdir, mkdtemp, readdir, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { createSandbox } from '../../src/sandbox/index.ts'
import { control } from './control/control-calls.ts'
import { openSandbox, receiver } from './open-sandbox.ts'
import { callWebhooks, requestGrant, requestToken, subscribe } from './service/http-calls.ts'

const KIND = 'INBOUND_PAYMENT_STATUS_UPDATED'

let folder: string
let state: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'payhook-state-'))
  state = join(folder, 'sandbox.json')
  onTestFinished(async () => await rm(folder, { recursive: true }))
})

it('has registrations, tokens and counters survive a restart', async () => {
  const { url, arrivals } = await receiver()
  const first = await openSandbox({ state })
  const kept = await requestToken(first)
  const spent = await requestToken(first)
  await requestGrant(first, { grant_type: 'refresh_token' }, { refresh_token: spent.refresh_token })
  const { id } = await subscribe(first, KIND, url, kept.access_token)
  const gone = await subscribe(first, KIND, url, kept.access_token)
  await callWebhooks(first, { method: 'DELETE', id: gone.id, token: kept.access_token })
  const payment = first.createPayment()
  await first.close()

  const second = await openSandbox({ state })
  const list = await callWebhooks(second, { token: kept.access_token })
  expect(await list.json()).toMatchObject([{ id, callbackUrl: url }])
  expect((await callWebhooks(second, { token: spent.access_token })).status).toBe(404)
  expect((await subscribe(second, KIND, url, kept.access_token)).id).toBe(gone.id + 1)
  expect(Number(second.createPayment().id)).toBe(Number(payment.id) + 1)
  await second.trigger(KIND)
  expect(arrivals).toHaveLength(2)
  const renewed = await requestGrant(
    second,
    { grant_type: 'refresh_token' },
    { refresh_token: kept.refresh_token },
  )
  expect(renewed.status).toBe(200)
  expect((await callWebhooks(second, { token: kept.access_token })).status).toBe(404)
})

it('has what was answered in the file, which only its owner can read, and no other file beside it', async () => {
  const sandbox = await openSandbox({ state })
  const { access_token: token } = await requestToken(sandbox)
  expect(await readFile(state, 'utf8')).toContain(token)
  await control(sandbox, 'POST configurations', { event: KIND, callbackUrl: 'http://127.0.0.1:1/x' })
  expect(await readFile(state, 'utf8')).toContain('http://127.0.0.1:1/x')
  expect((await stat(state)).mode & 0o777).toBe(0o600)
  expect(await readdir(folder)).toEqual(['sandbox.json'])
})

it('keeps the state of a reset', async () => {
  const first = await openSandbox({ state })
  await requestToken(first)
  await control(first, 'POST configurations', { event: KIND, callbackUrl: 'http://127.0.0.1:1/x' })
  await first.reset()
  await first.close()
  const second = await openSandbox({ state })
  expect((await control(second, 'GET configurations')).json).toEqual({ configurations: [] })
})

it.each(['', ' ', '{}', '[', '{"version":2}'])(
  'refuses a file that holds %j, and leaves it alone',
  async (text) => {
    await writeFile(state, text)
    if (text === '') return expect((await openSandbox({ state })).url).toBeTruthy()
    await expect(createSandbox({ state })).rejects.toThrow(/sandbox\.json is not the state of a sandbox/)
    expect(await readFile(state, 'utf8')).toBe(text)
  },
)

it('refuses a path that cannot be read or written', async () => {
  await expect(createSandbox({ state: folder })).rejects.toMatchObject({ code: 'EISDIR' })
  const nowhere = createSandbox({ state: join(folder, 'nowhere', 'sandbox.json') })
  await expect(nowhere).rejects.toMatchObject({ code: 'ENOENT' })
})

it('answers 500 with the reason while the file cannot be written, and keeps the state once it can', async () => {
  const sandbox = await openSandbox({ state })
  const register = async (path: string) =>
    await control(sandbox, 'POST configurations', { event: KIND, callbackUrl: `http://127.0.0.1:1/${path}` })
  await mkdir(`${state}.tmp`)
  const { status, json } = await register('one')
  expect([status, json.message]).toEqual([500, expect.stringContaining('EISDIR')])
  await rmdir(`${state}.tmp`)
  expect((await register('two')).status).toBe(201)
  expect(await readFile(state, 'utf8')).toMatch(/one.*two/)
})

it('leaves one file behind if processes are killed while they write', async () => {
  await writeFile(`${state}.tmp`, '{"version":1,"conf')
  const sandbox = await openSandbox({ state })
  await control(sandbox, 'POST configurations', { event: KIND, callbackUrl: 'http://127.0.0.1:1/x' })
  expect(await readdir(folder)).toEqual(['sandbox.json'])
})

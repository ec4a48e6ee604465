import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { lstat, mkdir, readdir, readFile, rmdir, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createSandbox } from '../../src/sandbox/index.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { control } from './control/control-calls.ts'
import { openSandbox, receiver } from './open-sandbox.ts'
import { callWebhooks, requestGrant, requestToken, subscribe } from './service/http-calls.ts'

const KIND = 'INBOUND_PAYMENT_STATUS_UPDATED'

let folder: string
let state: string

beforeEach(() => {
  folder = temporaryFolder()
  state = join(folder, 'sandbox.json')
})

it('has registrations, tokens and counters survive a restart', async () => {
  const { url, arrivals } = await receiver()
  const first = await openSandbox({ stateFile: state })
  const kept = await requestToken(first)
  const spent = await requestToken(first)
  await requestGrant(first, { grant_type: 'refresh_token' }, { refresh_token: spent.refresh_token })
  const { id } = await subscribe(first, KIND, url, kept.access_token)
  const gone = await subscribe(first, KIND, url, kept.access_token)
  await callWebhooks(first, { method: 'DELETE', id: gone.id, token: kept.access_token })
  const payment = first.createPayment()
  await first.close()

  const second = await openSandbox({ stateFile: state })
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

it('has what was confirmed in the file, which only its owner can read, and no other file beside it', async () => {
  const sandbox = await openSandbox({ stateFile: state })
  const { access_token: token } = await requestToken(sandbox)
  expect(await readFile(state, 'utf8')).toContain(token)
  await control(sandbox, 'POST configurations', { event: KIND, callbackUrl: 'http://127.0.0.1:1/x' })
  expect(await readFile(state, 'utf8')).toContain('http://127.0.0.1:1/x')
  expect((await stat(state)).mode & 0o777).toBe(0o600)
  await sandbox.close()
  expect(await readdir(folder)).toEqual(['sandbox.json'])
})

it('keeps the state of a reset', async () => {
  const first = await openSandbox({ stateFile: state })
  await requestToken(first)
  await control(first, 'POST configurations', { event: KIND, callbackUrl: 'http://127.0.0.1:1/x' })
  await first.reset()
  await first.close()
  const second = await openSandbox({ stateFile: state })
  expect((await control(second, 'GET configurations')).json).toEqual({ configurations: [] })
})

const accountId = '710021'
const VALID = {
  version: 1,
  configurations: {
    nextId: 2_002,
    all: [{ id: '2001', accountId, event: KIND, callbackUrl: 'http://127.0.0.1:1/', status: 'Active' }],
  },
  tokens: [
    {
      userId: '51001',
      accountId,
      revoked: false,
      tokens: [{ accessToken: 'a', refreshToken: 'b', expiresAt: 1 }],
    },
  ],
  ids: { PAYMENT_STATUS_UPDATED: 48_300 },
}

it('accepts an empty file, and the state that it writes', async () => {
  await writeFile(state, '')
  expect((await openSandbox({ stateFile: state })).url).toBeTruthy()
  const other = join(folder, 'other.json')
  await writeFile(other, JSON.stringify(VALID))
  const sandbox = await openSandbox({ stateFile: other })
  expect((await control(sandbox, 'GET configurations')).json.configurations).toHaveLength(1)
  expect(sandbox.createPayment().id).toBe('48300')
})

const [configuration] = VALID.configurations.all

it.each<[string, unknown]>([
  ['an array', []],
  ['half of it', JSON.stringify(VALID).slice(0, 99)],
  ['another version', { ...VALID, version: 2 }],
  ['an unknown event', [{ ...configuration, event: 'PAYMENT' }]],
  ['a callback that is no URL', [{ ...configuration, callbackUrl: 'ftp://x' }]],
  ['the account of nobody', [{ ...configuration, accountId: '1' }]],
  ['an id that is no number', [{ ...configuration, id: 'x' }]],
  ['an id that is given again', [{ ...configuration, id: '2002' }]],
  ['the tokens of nobody', { ...VALID, tokens: [{ ...VALID.tokens[0], accountId: '1' }] }],
  ['half an id', { ...VALID, ids: { PAYMENT_STATUS_UPDATED: 1.5 } }],
])('rejects a file with %s, and leaves it alone', async (_what, content) => {
  const configurations = { ...VALID.configurations, all: content }
  const isList = Array.isArray(content) && content.length > 0
  const text =
    typeof content === 'string' ? content : JSON.stringify(isList ? { ...VALID, configurations } : content)
  await writeFile(state, text)
  const message = /sandbox\.json is not the state of a sandbox/
  await expect(createSandbox({ stateFile: state })).rejects.toThrow(message)
  expect(await readFile(state, 'utf8')).toBe(text)
  expect(await readdir(folder)).toEqual(['sandbox.json'])
})

it('rejects a path that cannot be read or written', async () => {
  const socket = join(folder, 'socket')
  const server = createServer().listen(socket)
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  for (const path of [folder, socket])
    await expect(createSandbox({ stateFile: path })).rejects.toThrow(`${path} is not a file`)
  const nowhere = createSandbox({ stateFile: join(folder, 'nowhere', 'sandbox.json') })
  await expect(nowhere).rejects.toMatchObject({ code: 'ENOENT' })
})

it('responds 500 with the reason while the file cannot be written, and keeps the state once it can', async () => {
  const sandbox = await openSandbox({ stateFile: state })
  const register = async (path: string) =>
    await control(sandbox, 'POST configurations', { event: KIND, callbackUrl: `http://127.0.0.1:1/${path}` })
  await mkdir(state)
  const { status, json } = await register('one')
  expect([status, json.message]).toEqual([500, expect.stringContaining('EISDIR')])
  await rmdir(state)
  expect((await register('two')).status).toBe(201)
  expect(await readFile(state, 'utf8')).toMatch(/one.*two/)
})

it('writes to no file that another user has put beside it', async () => {
  const victim = join(folder, 'victim')
  await writeFile(victim, 'mine')
  await symlink(victim, `${state}.tmp`)
  const sandbox = await openSandbox({ stateFile: state })
  await requestToken(sandbox)
  expect(await readFile(victim, 'utf8')).toBe('mine')
  expect((await lstat(state)).isFile()).toBe(true)
})

it('follows a link to the file', async () => {
  const link = join(folder, 'link.json')
  await writeFile(state, '')
  await symlink(state, link)
  const sandbox = await openSandbox({ stateFile: link })
  await requestToken(sandbox)
  expect((await lstat(link)).isSymbolicLink()).toBe(true)
  expect(await readFile(state, 'utf8')).toContain('"version":1')
  await expect(createSandbox({ stateFile: state })).rejects.toThrow('is used by another sandbox')
})

describe('a second sandbox on the file', () => {
  it('is rejected until the first is closed, in this process', async () => {
    const first = await openSandbox({ stateFile: state })
    await expect(createSandbox({ stateFile: state })).rejects.toThrow(
      `"stateFile" option: ${state} is used by another sandbox`,
    )
    await first.close()
    await openSandbox({ stateFile: state })
  })

  it('is rejected while another process runs, and not once it is killed', async () => {
    const script = `
      const { createSandbox } = await import(${JSON.stringify(new URL('../../src/sandbox/index.ts', import.meta.url))})
      await createSandbox({ stateFile: ${JSON.stringify(state)} })
      console.log('ready')`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script])
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    await expect(createSandbox({ stateFile: state })).rejects.toThrow('is used by another sandbox')
    child.kill('SIGKILL')
    await once(child, 'exit')
    await openSandbox({ stateFile: state })
  })

  it('can start if the first could not listen', async () => {
    const { port } = await receiver()
    await expect(createSandbox({ stateFile: state, port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
    await openSandbox({ stateFile: state })
  })
})

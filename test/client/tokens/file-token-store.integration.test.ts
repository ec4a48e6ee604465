import { execFile } from 'node:child_process'
import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createFileTokenStore, type StoredToken, type TokenStore } from '../../../src/client/index.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { clientOf, openService, shown, userClientOf } from '../open-client.ts'
import { startTokenProcess } from './token-child.ts'

function openFolder(): { folder: string; path: string } {
  const folder = temporaryFolder()
  return { folder, path: join(folder, 'tokens.json') }
}

const token = (accessToken: string): StoredToken => ({
  accessToken,
  refreshToken: `refresh-of-${accessToken}`,
  tokenType: 'bearer',
  accountId: '9223372036854775807',
  grant: 'authorization_code',
  issuedAt: 1_767_225_600_000,
  expiresAt: 1_767_229_200_000,
})

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)

describe('createFileTokenStore', () => {
  it('returns what was set, also from another store', async () => {
    const { path } = openFolder()
    const store = createFileTokenStore({ path })
    expect(await store.get('a')).toBeUndefined()
    await store.set('a', token('one'))
    await store.set('b', token('two'))
    await store.set('a', token('three'))
    const other = createFileTokenStore({ path })
    expect(await other.get('a')).toEqual(token('three'))
    expect(await other.get('b')).toEqual(token('two'))
    expect(await other.get('c')).toBeUndefined()
  })

  it.each(['__proto__', '', 'https://a.example/ id\n"'])('accepts %j as a key', async (key) => {
    const { path } = openFolder()
    const store = createFileTokenStore({ path })
    expect(await store.get(key)).toBeUndefined()
    await store.set(key, token('one'))
    expect(await createFileTokenStore({ path }).get(key)).toEqual(token('one'))
    expect(await store.get('another')).toBeUndefined()
  })

  it('writes JSON that nobody else may read, beside a lock that nobody else may hold', async () => {
    const { path } = openFolder()
    const umask = process.umask(0)
    onTestFinished(() => void process.umask(umask))
    const store = createFileTokenStore({ path })
    await store.set('a', token('one'))
    expect(mode(path)).toBe('600')
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ a: token('one') })
    chmodSync(path, 0o644)
    await store.set('a', token('two'))
    expect(mode(path)).toBe('600')
    await store.lock?.('a', async () => expect(mode(`${path}.lock`)).toBe('600'))
    expect(mode(`${path}.lock`)).toBe('600')
  })

  it('leaves no other file with a token in it, and none that others may read', async () => {
    const { folder, path } = openFolder()
    const store = createFileTokenStore({ path })
    for (let index = 0; index < 5; index++) await store.set('a', token(`number-${index}`))
    for (const name of readdirSync(folder).filter((other) => join(folder, other) !== path)) {
      const other = join(folder, name)
      if (statSync(other).isFile()) expect(readFileSync(other, 'utf8')).not.toContain('number-')
      expect(mode(other)).toMatch(/00$/)
    }
  })

  it('follows no link and keeps no mode of a file left in the way', async () => {
    const { folder, path } = openFolder()
    const victim = join(folder, 'victim')
    writeFileSync(victim, 'precious', { mode: 0o644 })
    symlinkSync(victim, `${path}.new`)
    const store = createFileTokenStore({ path })
    await store.set('a', token('one'))
    expect(readFileSync(victim, 'utf8')).toBe('precious')
    expect(lstatSync(path).isFile()).toBe(true)
    writeFileSync(`${path}.new`, 'of a killed process', { mode: 0o644 })
    await store.set('a', token('two'))
    expect(mode(path)).toBe('600')
  })

  it('rejects a lock file that is a link', async () => {
    const { folder, path } = openFolder()
    symlinkSync(join(folder, 'elsewhere'), `${path}.lock`)
    const locked = createFileTokenStore({ path }).lock?.('a', async () => 5)
    await expect(locked).rejects.toThrow(/tokens\.json\.lock is not a regular file/)
    expect(readdirSync(folder)).toEqual(['tokens.json.lock'])
  })

  it('is complete at every moment', async () => {
    const { path } = openFolder()
    const store = createFileTokenStore({ path })
    await store.set('a', token('x'.repeat(50_000)))
    let writing = true
    const writes = (async () => {
      for (let index = 0; index < 10; index++) await store.set('a', token(String(index).repeat(50_000)))
      writing = false
    })()
    let reads = 0
    while (writing) {
      expect(() => JSON.parse(readFileSync(path, 'utf8'))).not.toThrow()
      reads++
      await new Promise((resolve) => setImmediate(resolve))
    }
    await writes
    expect(reads).toBeGreaterThan(10)
  })

  it('flushes the file and then its folder, so that a token survives a loss of power', async () => {
    const { folder, path } = openFolder()
    const handle = await open(folder)
    const fileHandle = Object.getPrototypeOf(handle) as typeof handle
    await handle.close()
    const flushed: string[] = []
    const { sync } = fileHandle
    const spy = vi.spyOn(fileHandle, 'sync').mockImplementation(async function (this: typeof handle) {
      const isFolder = (await this.stat()).isDirectory()
      flushed.push(isFolder ? `folder of ${readFileSync(path, 'utf8').match(/"one"/)?.[0]}` : 'file')
      return await sync.call(this)
    })
    onTestFinished(() => spy.mockRestore())
    await createFileTokenStore({ path }).set('a', token('one'))
    expect(flushed).toEqual(['file', 'folder of "one"'])
  })

  it('loses no key if many are set at once', async () => {
    const { path } = openFolder()
    const keys = Array.from({ length: 12 }, (_, index) => `key-${index}`)
    await Promise.all(
      keys.map((key) => {
        const store = createFileTokenStore({ path })
        return store.lock?.(key, async () => void (await store.set(key, token(key))))
      }),
    )
    const reader = createFileTokenStore({ path })
    for (const key of keys) expect(await reader.get(key)).toEqual(token(key))
  })

  it.each(['', 5, undefined, null])('throws a TypeError if the path is %j', (path) => {
    expect(() => createFileTokenStore({ path } as never)).toThrow(TypeError)
  })

  it.each([
    ['cut off', '{"a":{"accessToken":"refresh-secret'],
    ['a list', '["refresh-secret"]'],
    ['another shape', '{"a":"refresh-secret"}'],
  ])('does not overwrite a file that is not a token store: %s', async (_name, content) => {
    const service = await openService()
    const { path } = openFolder()
    writeFileSync(path, content, { mode: 0o600 })
    const client = clientOf(service, { tokenStore: createFileTokenStore({ path }) })
    const outcome = await client.token().then(
      () => undefined,
      (error: unknown) => error,
    )
    if (outcome === undefined) return expect(readFileSync(path, 'utf8')).toContain('refresh-secret')
    expect(outcome).toMatchObject({ code: 'token_store_failed' })
    expect(shown(outcome)).not.toContain('refresh-secret')
    expect(readFileSync(path, 'utf8')).toBe(content)
  })
})

describe('the path of a token file', () => {
  it('may be a link, which it stays, and which shares the lock of its file', async () => {
    const { folder, path } = openFolder()
    const link = join(folder, 'link.json')
    await createFileTokenStore({ path }).set('a', token('one'))
    symlinkSync(path, link)
    const store = createFileTokenStore({ path: link })
    expect(await store.get('a')).toEqual(token('one'))
    await store.lock?.('a', async () => void (await store.set('a', token('two'))))
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(await createFileTokenStore({ path }).get('a')).toEqual(token('two'))
    expect(readdirSync(folder).sort()).toEqual(['link.json', 'tokens.json', 'tokens.json.lock'])
  })

  it('may be a link to a file that is not there yet', async () => {
    const { folder, path } = openFolder()
    const link = join(folder, 'link.json')
    symlinkSync('tokens.json', link)
    await createFileTokenStore({ path: link }).set('a', token('one'))
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(await createFileTokenStore({ path }).get('a')).toEqual(token('one'))
  })

  it('may be an empty file', async () => {
    const { path } = openFolder()
    writeFileSync(path, '')
    const store = createFileTokenStore({ path })
    expect(await store.get('a')).toBeUndefined()
    await store.set('a', token('one'))
    expect(await store.get('a')).toEqual(token('one'))
  })
})

describe('the lock of a token file', () => {
  it('resolves to the result, and is released after a failure', async () => {
    const { path } = openFolder()
    const store = createFileTokenStore({ path })
    await expect(store.lock?.('a', () => Promise.reject(new Error('mine')))).rejects.toThrow('mine')
    expect(await store.lock?.('a', () => Promise.resolve(5))).toBe(5)
  })

  it('stays with its process while other stores of that process wait for it', async () => {
    const { path } = openFolder()
    const lock = createFileTokenStore({ path }).lock as NonNullable<TokenStore['lock']>
    let waiting: Promise<unknown> | undefined
    const seen = await lock('a', async () => {
      waiting = createFileTokenStore({ path }).lock?.('a', async () => {})
      return await takeLockInOtherProcess(`${path}.lock`)
    })
    expect(seen).toMatch(/database is locked/)
    await waiting
    expect(await takeLockInOtherProcess(`${path}.lock`)).toBe('')
  })

  it('is released if its process is killed', async () => {
    const service = await openService()
    const { path } = openFolder()
    await userClientOf(service, { tokenStore: createFileTokenStore({ path }) })
    const key = Object.keys(JSON.parse(readFileSync(path, 'utf8')))[0] ?? ''
    const holder = startTokenProcess({ ...planOf(service, path), role: 'holder', key })
    await holder.told('locked')
    await holder.kill()
    const client = clientOf(service, { tokenStore: createFileTokenStore({ path }) })
    await client.refresh()
    expect(await client.hello()).toEqual({ hello: 'world' })
  })
})

it('processes that share a token file refresh in turn, each with the newest refresh token', async () => {
  const service = await openService({ rotatesRefreshTokens: true })
  const { path } = openFolder()
  await userClientOf(service, { tokenStore: createFileTokenStore({ path }) })
  const children = Array.from({ length: 2 }, () =>
    startTokenProcess({ ...planOf(service, path), role: 'refresher', rounds: 5 }),
  )
  await Promise.all(children.map((child) => child.told('ready')))
  for (const child of children) child.begin()
  await Promise.all(children.map((child) => child.gone))
  expect(children.flatMap(({ messages }) => messages.filter(({ failed }) => failed))).toEqual([])
  const done = children.flatMap(({ messages }) => messages.filter((message) => 'done' in message))
  expect(done).toHaveLength(10)
  expect(service.grants.spentRefreshTokens).toEqual([])
  expect(service.grantTypes).not.toContain('client_credentials')
  const client = clientOf(service, { tokenStore: createFileTokenStore({ path }) })
  expect((await client.token()).accessToken).toBe(service.grants.accessTokens.at(-1))
  await client.refresh()
})

/** What another process says that tries to take the lock once. */
async function takeLockInOtherProcess(path: string): Promise<string> {
  const script = `new (require('node:sqlite').DatabaseSync)(process.argv[1]).exec('BEGIN EXCLUSIVE')`
  return await new Promise((resolve) => {
    execFile(process.execPath, ['--no-warnings', '-e', script, path], (_error, _output, errors) =>
      resolve(errors),
    )
  })
}

function planOf(service: Awaited<ReturnType<typeof openService>>, path: string) {
  const { clientId, clientSecret } = service.behavior
  return { path, baseUrl: service.url, clientId, clientSecret }
}

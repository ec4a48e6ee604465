import { isJsonObject, type JsonObject } from '../../json/json-value.ts'
import { filledText } from '../../option-checks.ts'
import type { StoredToken, TokenStore } from './token-store.ts'

// Longer than a grant takes with all its retries, unless the service asks for long waits.
const LOCK_TIMEOUT_MS = 120_000
const LOCK_POLL_MS = 25

/**
 * Keeps tokens in a file that only its owner may read (mode 0600), for command lines and for several processes
 * of one machine. The file is replaced as a whole, never half; a lock beside it (`<path>.lock`, held by
 * node:sqlite, and so free as soon as its process ends, however it ends) lets one process at a time renew.
 *
 * @param options.path the file, on a local disk; its folder is made when it is missing
 * @throws TypeError when `path` is no path. The methods throw what the file system does, which the client turns
 *   into a `TokenError` `token_store_failed`.
 * @example
 * const client = createClient({ …, tokenStore: createFileTokenStore({ path: '/home/me/.config/shop/token.json' }) })
 */
export function createFileTokenStore({ path }: { readonly path: string }): TokenStore {
  const stated = filledText('path', path)
  // Where it is now: a process that changes its folder does not change its store.
  const workingFolder = process.cwd()

  /** The file itself, where a link leads to it. */
  async function locate(): Promise<string> {
    const { readlink, realpath } = await import('node:fs/promises')
    const { dirname, resolve } = await import('node:path')
    const file = resolve(workingFolder, stated)
    try {
      return await realpath(file)
    } catch (error) {
      if (!isMissing(error)) throw error
      // Where there is nothing yet, or nothing yet where a link leads to.
      return resolve(dirname(file), await readlink(file).catch(() => file))
    }
  }

  return {
    async get(key) {
      const content = await readContent(await locate())
      return Object.hasOwn(content, key) ? (content[key] as unknown as StoredToken) : undefined
    },

    async set(key, token) {
      const file = await locate()
      await replaceContent(file, { ...(await readContent(file)), [key]: token })
    },

    async lock(_key, work) {
      const release = await acquire(`${await locate()}.lock`)
      try {
        return await work()
      } finally {
        release()
      }
    },
  }
}

async function readContent(file: string): Promise<Readonly<Record<string, unknown>>> {
  const { readFile } = await import('node:fs/promises')
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if (isMissing(error)) return {}
    throw error
  }
  const content = parseContent(text)
  if (content === undefined)
    throw new Error(`${file} is no token store. Where it holds nothing else, delete it.`)
  return content
}

async function replaceContent(file: string, content: object): Promise<void> {
  const { open, rename, rm } = await import('node:fs/promises')
  await makeFolder(file)
  // The one name, so that what a process left that ended here is gone with the next token.
  const unfinished = `${file}.new`
  await rm(unfinished, { force: true })
  try {
    const handle = await open(unfinished, 'wx', 0o600)
    try {
      await handle.writeFile(`${JSON.stringify(content, undefined, 2)}\n`)
      // A refresh token that is lost with the power is lost for good: the one before it is spent.
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(unfinished, file)
    await syncFolder(file)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}

/** Has the file's name survive the loss of power as well. Not every system lets a folder be opened. */
async function syncFolder(file: string): Promise<void> {
  const { open } = await import('node:fs/promises')
  const { dirname } = await import('node:path')
  const folder = await open(dirname(file)).catch(() => undefined)
  await folder?.sync().catch(() => {})
  await folder?.close()
}

async function makeFolder(file: string): Promise<void> {
  const { mkdir } = await import('node:fs/promises')
  const { dirname } = await import('node:path')
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
}

/** Waits for the lock and gives what lets go of it. */
async function acquire(path: string): Promise<() => void> {
  const { open } = await import('node:fs/promises')
  const { DatabaseSync } = await import('node:sqlite')
  await makeFolder(path)
  // Whoever may read it may hold it.
  await (await open(path, 'a', 0o600)).close()
  const database = new DatabaseSync(path, { timeout: 0 })
  const giveUpAt = Date.now() + LOCK_TIMEOUT_MS
  try {
    while (!tryLock(database)) {
      if (Date.now() > giveUpAt)
        throw new Error(`${path} was locked by another process for ${LOCK_TIMEOUT_MS} ms.`)
      await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS))
    }
  } catch (error) {
    database.close()
    throw error
  }
  return () => database.close()
}

const SQLITE_BUSY = 5

function tryLock(database: { exec(sql: string): void }): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return false
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return (error as { code?: string }).code === 'ENOENT'
}

function parseContent(text: string): JsonObject | undefined {
  try {
    const content: unknown = JSON.parse(text)
    return isJsonObject(content) ? content : undefined
  } catch {
    return undefined
  }
}

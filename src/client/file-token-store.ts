import { isJsonObject, type JsonObject } from '../json/json-value.ts'
import type { StoredToken, TokenStore } from './token-store.ts'

// Longer than a grant may take with all its retries.
const LOCK_TIMEOUT_MS = 120_000
const LOCK_POLL_MS = 25

/**
 * Keeps tokens in a file that only its owner may read (mode 0600), for command lines and for several processes of one machine.
 * The file is replaced as a whole, never half; a lock beside it (`<path>.lock`, held by node:sqlite, and so free as soon as
 * its process ends, however it ends) lets one process at a time renew.
 *
 * @param options.path the file, on a local disk; its folder is made when it is missing
 * @throws TypeError when `path` is no path. The methods throw what the file system does, which the client turns into a
 *   `TokenError` `token_store_failed`.
 * @example
 * const client = createClient({ …, tokenStore: createFileTokenStore({ path: '/home/me/.config/shop/token.json' }) })
 */
export function createFileTokenStore({ path }: { readonly path: string }): TokenStore {
  if (typeof path !== 'string' || path === '') throw new TypeError('"path" option must be the path of a file')

  async function read(): Promise<JsonObject> {
    const { readFile } = await import('node:fs/promises')
    let text: string
    try {
      text = await readFile(path, 'utf8')
    } catch (error) {
      if ((error as { code?: string }).code === 'ENOENT') return {}
      throw error
    }
    const content = parseContent(text)
    if (content === undefined)
      throw new Error(`${path} is no token store. Delete it, and its tokens are asked for anew.`)
    return content
  }

  return {
    async get(key) {
      const content = await read()
      return Object.hasOwn(content, key) ? (content[key] as unknown as StoredToken) : undefined
    },

    async set(key, token) {
      const { mkdir, open, rename, rm } = await import('node:fs/promises')
      const { dirname } = await import('node:path')
      const content = { ...(await read()), [key]: token }
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      // The one name, so that what a process left that ended here is gone with the next token.
      const unfinished = `${path}.new`
      await rm(unfinished, { force: true })
      try {
        const file = await open(unfinished, 'wx', 0o600)
        try {
          await file.writeFile(`${JSON.stringify(content, undefined, 2)}\n`)
          // A refresh token that is lost with the power is lost for good: the one before it is spent.
          await file.sync()
        } finally {
          await file.close()
        }
        await rename(unfinished, path)
      } catch (error) {
        await rm(unfinished, { force: true })
        throw error
      }
    },

    async lock(_key, work) {
      const { mkdir } = await import('node:fs/promises')
      const { dirname } = await import('node:path')
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      const release = await acquire(`${path}.lock`)
      try {
        return await work()
      } finally {
        release()
      }
    },
  }
}

/** Waits for the lock and gives what lets go of it. */
async function acquire(path: string): Promise<() => void> {
  const { DatabaseSync } = await import('node:sqlite')
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

function parseContent(text: string): JsonObject | undefined {
  try {
    const content: unknown = JSON.parse(text)
    return isJsonObject(content) ? content : undefined
  } catch {
    return undefined
  }
}

import { dirname, resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { createLocks } from '../../create-locks.ts'
import { isJsonObject, type JsonObject } from '../../json/json-value.ts'
import { checkOptions, text } from '../../option-checks.ts'
import { replaceFile } from '../../replace-file.ts'
import type { StoredToken, TokenStore } from './token-store.ts'

// Longer than a grant takes with all its retries, unless the service asks for long waits.
const LOCK_TIMEOUT_MS = 120_000
const LOCK_POLL_MS = 25
const SQLITE_BUSY = 5

// Closing a file drops all locks that the process has on it, so only one store at a time opens it.
const inProcess = createLocks()

/**
 * Creates a store that keeps tokens in a file with mode 0600, for command lines and several processes on one
 * machine. The file is always replaced as a whole. While one process renews the token, the others wait for
 * its lock (`<path>.lock`, held by node:sqlite, so it is free when its process ends). Needs Node 22.13.
 *
 * @param options.path the file, on a local disk, one for each user; missing folders are created
 * @throws TypeError if `path` is not a non-empty string, or there is another option
 * @example
 * const tokenStore = createFileTokenStore({ path: '/home/me/.config/shop/token.json' })
 */
export function createFileTokenStore(options: { readonly path: string }): TokenStore {
  const absolute = resolve(checkOptions('createFileTokenStore', options, { path: text() }).path)
  // A deployment may link the file into each release, before there is one.
  async function locate(): Promise<string> {
    const { readlink, realpath } = await import('node:fs/promises')
    const linked = () => readlink(absolute).catch(() => absolute)
    return await realpath(absolute).catch(async () => resolve(dirname(absolute), await linked()))
  }

  return {
    async get(key) {
      const content = await readContent(absolute)
      return Object.hasOwn(content, key) ? (content[key] as unknown as StoredToken) : undefined
    },

    async set(key, token) {
      const file = await locate()
      await replaceFile(file, `${JSON.stringify({ ...(await readContent(file)), [key]: token })}\n`)
    },

    async lock(_key, work) {
      const path = `${await locate()}.lock`
      return await inProcess(path, async () => {
        const database = await openLocked(path)
        try {
          return await work()
        } finally {
          database.close()
        }
      })
    },
  }
}

async function readContent(path: string): Promise<JsonObject> {
  const { readFile } = await import('node:fs/promises')
  try {
    const content: unknown = JSON.parse((await readFile(path, 'utf8')) || '{}')
    if (isJsonObject(content)) return content
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    // The message of JSON.parse quotes the file.
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new Error(`${path} is not a token store. If it holds nothing else, delete it.`)
}

/** Waits for the lock, which is free again when the database is closed. */
async function openLocked(path: string): Promise<DatabaseSync> {
  const { lstat, mkdir, open } = await import('node:fs/promises')
  const { DatabaseSync } = await import('node:sqlite')
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  // Whoever may read it may hold it.
  const found = await lstat(path).catch(() => undefined)
  if (found?.isFile() === false) throw new Error(`${path} is not a regular file. Delete it.`)
  if (found === undefined) await (await open(path, 'a', 0o600)).close()
  const database = new DatabaseSync(path, { timeout: 0 })
  const giveUpAt = Date.now() + LOCK_TIMEOUT_MS
  for (;;) {
    try {
      database.exec('BEGIN EXCLUSIVE')
      return database
    } catch (error) {
      const isBusy = (error as { errcode?: number }).errcode === SQLITE_BUSY
      if (!isBusy || Date.now() > giveUpAt) {
        database.close()
        throw error
      }
    }
    await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS))
  }
}

import { dirname, resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { isJsonObject, type JsonObject } from '../../json/json-value.ts'
import { filledText } from '../../option-checks.ts'
import type { StoredToken, TokenStore } from './token-store.ts'

// Longer than a grant takes with all its retries, unless the service asks for long waits.
const LOCK_TIMEOUT_MS = 120_000
const LOCK_POLL_MS = 25
const SQLITE_BUSY = 5

/**
 * Creates a store that keeps tokens in a file with mode 0600, for command lines and several processes on one
 * machine. The file is always replaced as a whole. While one process renews the token, the others wait for
 * its lock (`<path>.lock`, held by node:sqlite, so it is free when its process ends). Needs Node 22.13.
 *
 * @param options.path the file, on a local disk; missing folders are created
 * @throws TypeError if `path` is not a non-empty string
 * @example
 * const tokenStore = createFileTokenStore({ path: '/home/me/.config/shop/token.json' })
 */
export function createFileTokenStore({ path }: { readonly path: string }): TokenStore {
  const absolute = resolve(filledText('path', path))
  // A deployment may link the file into each release.
  const locate = async () => await (await import('node:fs/promises')).realpath(absolute).catch(() => absolute)
  return {
    async get(key) {
      const content = await readContent(absolute)
      return Object.hasOwn(content, key) ? (content[key] as unknown as StoredToken) : undefined
    },

    async set(key, token) {
      const { open, rename, writeFile } = await import('node:fs/promises')
      const file = await locate()
      const content = { ...(await readContent(file)), [key]: token }
      // Flushed: if this token were lost with the power, the one before it would be spent.
      await writeFile(`${file}.new`, `${JSON.stringify(content)}\n`, { mode: 0o600, flush: true })
      await rename(`${file}.new`, file)
      // The new name, too. Not every system can flush a folder.
      const folder = await open(dirname(file)).catch(() => undefined)
      await folder?.sync().catch(() => {})
      await folder?.close()
    },

    async lock(_key, work) {
      const database = await openLocked(`${await locate()}.lock`)
      try {
        return await work()
      } finally {
        database.close()
      }
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
  const { mkdir, open } = await import('node:fs/promises')
  const { DatabaseSync } = await import('node:sqlite')
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  // Whoever may read it may hold it.
  await (await open(path, 'a', 0o600)).close()
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

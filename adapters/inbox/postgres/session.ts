import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'pg'
import { type Database, TYPES } from './database.ts'
import { sessionLock } from './worker-functions.ts'

/** How long to wait before another attempt to connect. */
const RETRY_MS = 1_000

/** A connection of a worker's own: what it asks there waits for nobody. */
export type Session = ReturnType<typeof openSession>

/**
 * Opens a session in the background, and again whenever it is lost. It listens for what others have stored, and
 * its lock shows them that this process is there even if it sends no heartbeat, as its event loop is blocked.
 *
 * A pooler such as PgBouncer passes on no notifications, and gives the session to others. It shows in the
 * number of the server's process, which is not the one that the connection was told.
 *
 * @param onDue called when an entry may have become due
 * @param onImpossible called if there is no session, so that the worker has to ask more often
 */
export function openSession(
  database: Database,
  worker: number,
  onDue: () => void,
  onImpossible: (reason: string) => void,
) {
  const { channel, instance, schema } = database
  let isOpen = true
  let client: Client | undefined
  let isReady = false

  /** Resolves when the session is lost, or cannot be opened. */
  async function run(session: Client): Promise<void> {
    const lost = new Promise((resolve) => session.once('end', resolve).on('error', resolve))
    session.on('notification', ({ payload }) => {
      if (payload !== instance) onDue()
    })
    try {
      await session.connect()
      const { rows } = await session.query({ text: 'select pg_backend_pid() as pid', types: TYPES })
      if (rows[0].pid !== (session as Client & { processID?: number }).processID) {
        isOpen = false
        return onImpossible('there is a pooler such as PgBouncer in between')
      }
      await session.query(`select pg_advisory_lock(${sessionLock(schema, String(worker))})`)
      await session.query(`listen "${channel}"`)
      isReady = true
      // What was stored before.
      onDue()
      await lost
    } catch (error) {
      if (isOpen) onImpossible(String(error))
    } finally {
      isReady = false
      await session.end().catch(() => {})
    }
  }

  async function keepOpen(): Promise<void> {
    while (isOpen) {
      client = database.createClient()
      await run(client)
      if (isOpen) await delay(RETRY_MS, undefined, { ref: false })
    }
  }

  void keepOpen()
  return {
    /** The connection, or `undefined` while there is none. */
    client: () => (isReady ? client : undefined),
    close(): void {
      isOpen = false
      client?.end().catch(() => {})
    },
  }
}

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, onTestFinished } from 'vitest'
import { createSqliteInbox, type SqliteInboxOptions } from '../../../../adapters/inbox/sqlite/sqlite-inbox.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

/** A file for each test. What is open is closed after it, first the inboxes. */
export function useFile(given: Partial<SqliteInboxOptions> = {}) {
  const file = {
    folder: '',
    path: '',
    open(options: Partial<SqliteInboxOptions> = {}) {
      const inbox = createSqliteInbox({ path: file.path, retryDelayMs: 10, ...given, ...options })
      onTestFinished(() => inbox.close())
      return inbox
    },
    /** A connection beside the inboxes. It stays open, since closing it would drop the locks of this process. */
    connect() {
      const database = new DatabaseSync(file.path)
      connections.push(database)
      return database
    },
  }
  const connections: DatabaseSync[] = []
  beforeEach(() => {
    file.folder = temporaryFolder()
    file.path = join(file.folder, 'inbox.db')
    onTestFinished(() => {
      for (const connection of connections.splice(0)) connection.close()
    })
  })
  return file
}

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe } from 'vitest'
import { createStore } from '../../../contracts/inbox-store.ts'
import { describeInbox } from '../../../contracts/inbox-suite.ts'

describe('SQLite', () =>
  describeInbox({
    name: 'sqlite',
    leaseMs: 2_000,
    async createStore() {
      const folder = mkdtempSync(join(tmpdir(), 'payhook-inbox-'))
      const path = join(folder, 'inbox.db')
      let writer: DatabaseSync | undefined
      const release = () => {
        writer?.close()
        writer = undefined
      }
      return createStore(
        { engine: 'sqlite', path },
        {
          // Another program holds the write lock.
          async interrupt() {
            writer = new DatabaseSync(path)
            writer.exec('begin immediate')
          },
          restore: async () => release(),
          async clear() {
            release()
            rmSync(folder, { recursive: true, force: true })
          },
        },
      )
    },
  }))

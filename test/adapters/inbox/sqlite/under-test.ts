import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { EngineUnderTest } from '../../../contracts/engine-under-test.ts'
import { createStore } from '../../../contracts/inbox-store.ts'

/** A SQLite file of its own for each store. */
export const sqlite: EngineUnderTest = {
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
    // Another program holds the write lock.
    const lock = async () => {
      writer = new DatabaseSync(path)
      writer.exec('begin immediate')
    }
    return createStore(
      { engine: 'sqlite', path },
      {
        interrupt: lock,
        hang: lock,
        restore: async () => release(),
        async clear() {
          release()
          rmSync(folder, { recursive: true, force: true })
        },
      },
    )
  },
}

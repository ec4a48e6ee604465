import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Inbox } from '../../src/inbox/inbox.ts'
import type { InboxOptions } from '../../src/inbox/inbox-options.ts'
import { openInbox } from '../contracts/open-inbox.ts'

/** An inbox for one test. */
export async function openSqlite(options: InboxOptions = {}): Promise<Inbox> {
  const folder = mkdtempSync(join(tmpdir(), 'payhook-console-'))
  const inbox = await openInbox({ engine: 'sqlite', path: join(folder, 'inbox.db') }, options)
  onTestFinished(async () => {
    await inbox.close()
    rmSync(folder, { recursive: true })
  })
  return inbox
}

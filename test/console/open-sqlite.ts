import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Inbox } from '../../src/inbox/inbox.ts'
import type { InboxOptions } from '../../src/inbox/inbox-options.ts'
import { openInbox } from '../contracts/open-inbox.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** An inbox for one test. */
export async function openSqlite(options: InboxOptions = {}): Promise<Inbox> {
  const inbox = await openInbox({ engine: 'sqlite', path: join(temporaryFolder(), 'inbox.db') }, options)
  onTestFinished(() => inbox.close())
  return inbox
}

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSqliteInbox } from '../../adapters/inbox/sqlite/sqlite-inbox.ts'
import { createNotificationSource } from '../support/distinct-notifications.ts'
import { flags } from '../support/flags.ts'
import { printReport } from '../support/report.ts'
import { measureGrowth } from './growth.ts'
import { measurePruning } from './pruning.ts'

const NOTIFICATIONS = flags.quick ? 100_000 : 1_000_000
/**
 * Short, as the deliveries within the window are kept in memory: about 100 bytes each, for 120 seconds by
 * default.
 */
const DEDUPE_SECONDS = 1

const folder = mkdtempSync(join(tmpdir(), 'payhook-bench-memory-'))
try {
  const inbox = createSqliteInbox({
    path: join(folder, 'inbox.db'),
    dedupeSeconds: DEDUPE_SECONDS,
    concurrency: 50,
  })
  const next = createNotificationSource()
  const growth = await measureGrowth(inbox, NOTIFICATIONS, next)
  const pruning = await measurePruning(inbox, next)
  await inbox.close()
  printReport([growth.table, pruning.table])
  for (const complaint of [...growth.complaints, ...pruning.complaints]) {
    console.error(complaint)
    process.exitCode = 1
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

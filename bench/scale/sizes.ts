import { setTimeout as delay } from 'node:timers/promises'
import type { Inbox } from '../../src/inbox/inbox.ts'
import type { InboxOptions } from '../../src/inbox/inbox-options.ts'
import { type InboxPlace, openInbox } from '../../test/contracts/open-inbox.ts'
import { putMany } from '../inbox/put-load.ts'
import { createNotificationSource, type NotificationSource } from '../support/distinct-notifications.ts'
import { flags } from '../support/flags.ts'
import type { Table } from '../support/report.ts'
import type { ScaleEngine, ServerState, StorageServer } from './engines.ts'
import { startPart } from './part.ts'

const BATCHES = 5
const BATCH = flags.quick ? 400 : 5_000
const LOOK_MS = 50

/** In bytes per notification. */
export interface SizeRow {
  readonly name: string
  readonly stored: number
  readonly completed: number
  readonly logStored: number
  readonly logHandled: number
}

/**
 * What an entry occupies: waiting, and once it has been handled. Batches reuse what earlier ones freed, as with
 * an autovacuum after every fifth of the table.
 */
export async function measureSizes({ name }: ScaleEngine, server: StorageServer): Promise<SizeRow> {
  const next = createNotificationSource()
  const recent = await measureStored(server, server.newPlace(), {}, next)
  await server.clear()
  const place = server.newPlace()
  const { empty, stored } = await measureStored(server, place, { dedupeSeconds: 0 }, next)
  await using inbox = await openInbox(place, { dedupeSeconds: 0 })
  await handleAll(place, inbox, BATCH + 1)
  const handled = await read(server)
  for (let batch = 1; batch < BATCHES; batch++) {
    await putMany(inbox, 50, BATCH, next)
    await handleAll(place, inbox, BATCH)
    await server.catchUp()
  }
  const completed = await read(server)
  const each = (to: ServerState, from: ServerState, field: keyof ServerState, count = BATCH) =>
    (to[field] - from[field]) / count
  return {
    name,
    stored: each(stored, empty, 'storedBytes'),
    completed: each(completed, empty, 'storedBytes', BATCH * BATCHES),
    logStored: each(recent.stored, recent.empty, 'logBytes'),
    logHandled: each(handled, stored, 'logBytes'),
  }
}

async function measureStored(
  server: StorageServer,
  place: InboxPlace,
  options: InboxOptions,
  next: NotificationSource,
): Promise<Record<'empty' | 'stored', ServerState>> {
  await using inbox = await openInbox(place, options)
  // Creates what every inbox has.
  await putMany(inbox, 1, 1, next)
  const empty = await read(server)
  await putMany(inbox, 50, BATCH, next)
  return { empty, stored: await read(server) }
}

/** Has a worker handle what is stored. */
export async function handleAll(place: InboxPlace, inbox: Inbox, count: number): Promise<void> {
  const worker = await startPart({ role: 'worker', place })
  for (let left = count; left > 0; await delay(LOOK_MS)) left -= (await worker.report()).handled
  // The last result is stored after its handler has ended.
  while ((await inbox.counts()).active > 0) await delay(LOOK_MS)
  await worker.stop()
}

async function read(server: StorageServer): Promise<ServerState> {
  await server.catchUp()
  return await server.read()
}

export function toSizeTable(rows: readonly SizeRow[]): Table<SizeRow> {
  const rounded = (bytes: number) => bytes.toFixed(0)
  return {
    title: `Bytes per notification, of ${(BATCH * BATCHES).toLocaleString('en')}`,
    columns: {
      inbox: ({ name }) => name,
      'stored, waiting': ({ stored }) => rounded(stored),
      'stored, completed': ({ completed }) => rounded(completed),
      'log, to store it': ({ logStored }) => rounded(logStored),
      'log, to handle it': ({ logHandled }) => rounded(logHandled),
    },
    rows,
  }
}

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { Queue } from 'bullmq'
import { onTestFinished } from 'vitest'
import type { Inbox } from '../../src/inbox/inbox.ts'
import type { InboxOptions } from '../../src/inbox/inbox-options.ts'
import { clearQueue } from '../adapters/inbox/bullmq/clear-queue.ts'
import { dropSchema, newSchema } from '../adapters/inbox/postgres/schemas.ts'
import { type InboxPlace, LONG_BULLMQ_LOCK_SECONDS, openInbox } from '../contracts/open-inbox.ts'
import { describeWithService, hostAndPort, POSTGRES, REDIS } from '../contracts/service.ts'
import { waitFor } from '../contracts/wait-for.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** A new place for an inbox, which is deleted after the test. */
export interface TestInbox {
  /** The URL for the command line. */
  readonly url: string
  /** Creates and opens the inbox in this process. */
  open(options?: InboxOptions): Promise<Inbox>
}

export const TEST_ENGINES = ['sqlite', 'redis', 'postgres'] as const
export type TestEngine = (typeof TEST_ENGINES)[number]

/** The servers that an engine needs, for `describeWithService`. */
export const SERVERS: Record<TestEngine, readonly URL[]> = {
  sqlite: [],
  redis: [REDIS],
  postgres: [POSTGRES],
}

export async function describeOnEngines(
  name: string,
  body: (createPlace: () => TestInbox) => void,
): Promise<void> {
  for (const engine of TEST_ENGINES) {
    await describeWithService(`${name} on ${engine}`, SERVERS[engine], () => body(TEST_INBOXES[engine]))
  }
}

export const TEST_INBOXES: Record<TestEngine, () => TestInbox> = {
  sqlite() {
    const path = join(temporaryFolder(), 'inbox.db')
    return toTestInbox(`sqlite:${path}`, { engine: 'sqlite', path })
  },
  redis() {
    const queueName = `payhook-test-${randomUUID()}`
    const connection = hostAndPort(REDIS)
    onTestFinished(() => clearQueue(new Queue(queueName, { connection })))
    return toTestInbox(withParameters(REDIS, { queue: queueName }), {
      engine: 'bullmq',
      ...connection,
      queueName,
      lockSeconds: LONG_BULLMQ_LOCK_SECONDS,
    })
  },
  postgres() {
    const schema = newSchema()
    onTestFinished(() => dropSchema(schema))
    return toTestInbox(withParameters(POSTGRES, { schema }), {
      engine: 'postgres',
      connectionString: POSTGRES.href,
      schema,
    })
  },
}

/** A new inbox in a file, open in this process. */
export async function openSqlite(
  options?: InboxOptions,
): Promise<{ readonly url: string; readonly inbox: Inbox }> {
  const { url, open } = TEST_INBOXES.sqlite()
  return { url, inbox: await open(options) }
}

function toTestInbox(url: string, place: InboxPlace): TestInbox {
  return {
    url,
    async open(options) {
      const inbox = await openInbox(place, options)
      onTestFinished(() => inbox.close())
      // On a busy machine, creating a schema takes longer than a put may.
      await waitFor(() => inbox.counts().catch(() => undefined))
      return inbox
    },
  }
}

function withParameters(base: URL, parameters: Record<string, string>): string {
  const url = new URL(base)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

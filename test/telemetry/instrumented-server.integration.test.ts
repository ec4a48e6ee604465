import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Queue } from 'bullmq'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { clearQueue } from '../adapters/inbox/bullmq/clear-queue.ts'
import type { InboxPlace } from '../contracts/open-inbox.ts'
import { describeWithService, hostAndPort, POSTGRES, REDIS } from '../contracts/service.ts'

interface Told {
  readonly name: string
  readonly id: string
  readonly parent?: string
  readonly links: readonly string[]
}

const PROGRAM = fileURLToPath(new URL('instrumented-server.ts', import.meta.url))

/** Has an Express server with instrumented HTTP and PostgreSQL handle a notification. */
async function trace(place?: InboxPlace): Promise<readonly Told[]> {
  const args = [PROGRAM, POSTGRES.href, ...(place === undefined ? [] : [JSON.stringify(place)])]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  expect(stdout).toContain('token=REDACTED')
  expect(stdout).not.toContain('MARKED')
  return JSON.parse(stdout)
}

/** A span by the beginning of its name. Fails unless there is exactly one. */
function find(spans: readonly Told[], name: string): Told {
  const found = spans.filter((span) => span.name.startsWith(name))
  expect(found, `${name} in ${spans.map((span) => span.name)}`).toHaveLength(1)
  return found[0] as Told
}

/** Whether a span is below another, at any depth. */
function isBelow(spans: readonly Told[], { parent }: Told, ancestor: Told): boolean {
  const above = spans.find(({ id }) => id === parent)
  return above !== undefined && (above.id === ancestor.id || isBelow(spans, above, ancestor))
}

await describeWithService('a server with instrumented Express and pg', POSTGRES, () => {
  it('has HTTP > receive > process > query without an inbox', async () => {
    const spans = await trace()
    const [receive, process] = [find(spans, 'receive'), find(spans, 'process')]
    expect(isBelow(spans, receive, find(spans, 'POST'))).toBe(true)
    expect(process.parent).toBe(receive.id)
    expect(find(spans, 'pg.query').parent).toBe(process.id)
  })

  it('has HTTP > receive > put, and process > query with a link to put, with SQLite', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'payhook-telemetry-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    expectLinked(await trace({ engine: 'sqlite', path: join(folder, 'inbox.db') }))
  })

  it('has the same with PostgreSQL, and no span for what an inbox does on its own', async () => {
    const schema = `payhook_test_${randomUUID().replaceAll('-', '')}`
    onTestFinished(async () => {
      const client = new pg.Client({ connectionString: POSTGRES.href })
      await client.connect()
      await client.query(`drop schema if exists ${schema} cascade`)
      await client.end()
    })
    const spans = await trace({ engine: 'postgres', connectionString: POSTGRES.href, schema })
    expectLinked(spans)
  })
})

await describeWithService('a server with instrumented Express and Redis', REDIS, () => {
  it('has the same with BullMQ', async () => {
    const [queueName, connection] = [`payhook-test-${randomUUID()}`, hostAndPort(REDIS)]
    onTestFinished(() => clearQueue(new Queue(queueName, { connection })))
    expectLinked(await trace({ engine: 'bullmq', ...connection, queueName }))
  })
})

function expectLinked(spans: readonly Told[]): void {
  const [receive, put, process] = [find(spans, 'receive'), find(spans, 'put'), find(spans, 'process')]
  expect(isBelow(spans, receive, find(spans, 'POST'))).toBe(true)
  expect(put.parent).toBe(receive.id)
  expect(process).toMatchObject({ links: [put.id] })
  expect(process).not.toHaveProperty('parent')
  const queries = spans.filter(({ name, parent }) => name.startsWith('pg.query') && parent === process.id)
  expect(queries).toHaveLength(1)
  const stray = spans.filter(({ id, parent }) => parent === undefined && id !== process.id)
  expect(stray.map(({ name }) => name)).toEqual([find(spans, 'POST').name])
}

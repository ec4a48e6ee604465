import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { dropSchema, newSchema } from '../adapters/inbox/postgres/schemas.ts'
import type { InboxPlace } from '../contracts/open-inbox.ts'
import { describeWithService, POSTGRES } from '../contracts/service.ts'

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

  it('has HTTP > receive > put, and process > query with a link to put, and none of what the inbox does', async () => {
    const schema = newSchema()
    onTestFinished(() => dropSchema(schema))
    const spans = await trace({ engine: 'postgres', connectionString: POSTGRES.href, schema })
    const [receive, put, process] = [find(spans, 'receive'), find(spans, 'put'), find(spans, 'process')]
    expect(isBelow(spans, receive, find(spans, 'POST'))).toBe(true)
    expect(put.parent).toBe(receive.id)
    expect(process).toMatchObject({ links: [put.id] })
    expect(process).not.toHaveProperty('parent')
    const queries = spans.filter(({ name, parent }) => name.startsWith('pg.query') && parent === process.id)
    expect(queries).toHaveLength(1)
    const stray = spans.filter(({ id, parent }) => parent === undefined && id !== process.id)
    expect(stray.map(({ name }) => name)).toEqual([find(spans, 'POST').name])
  })
})

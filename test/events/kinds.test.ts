import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { PARSED_KINDS } from '../../src/events/kinds.ts'
import { readSubject } from '../../src/events/subject.ts'
import { parse } from '../../src/index.ts'
import { createNotification } from '../../src/testing/index.ts'

const root = new URL('../../', import.meta.url)
const protocol = readFileSync(new URL('docs/protocol.md', root), 'utf8')
const fixtures = readdirSync(new URL('fixtures/notifications', root)).map((name) =>
  readFileSync(new URL(`fixtures/notifications/${name}`, root), 'utf8'),
)

describe.each(PARSED_KINDS)('%s', (kind) => {
  const { body } = createNotification(kind, { clientId: 'a-client' })

  it('has a subject if its data has an id', () => {
    const hasSchema = parse(JSON.stringify({ type: kind, data: {} })).type === 'UNRECOGNIZED'
    const { id } = parse(body).data as { id: string }
    expect(readSubject(body)).toEqual(hasSchema ? expect.stringMatching(`^[a-z]+:${id}$`) : null)
  })

  it('is in the docs and has a fixture', () => {
    expect(protocol).toContain(`\`${kind}\``)
    expect(fixtures.some((text) => text.includes(kind))).toBe(true)
  })
})

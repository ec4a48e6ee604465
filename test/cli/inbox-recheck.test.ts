import { describe, expect, it } from 'vitest'
import { recheckEntry } from '../../src/cli/commands/inbox/recheck.ts'
import { PARSED_KINDS } from '../../src/events/kinds.ts'
import type { InboxEntry } from '../../src/inbox/inbox.ts'
import { parse } from '../../src/parse.ts'
import { signedFrom } from '../contracts/signed-notification.ts'
import { fixtureCases } from '../fixture-cases.ts'

const findings = (body: string | Uint8Array, error: string | null = null) =>
  recheckEntry({ ...signedFrom(Buffer.from(body)), error } as InboxEntry, new Map()).map(({ what }) => what)

function readingOf(body: Uint8Array): string[] {
  try {
    const event = parse(body)
    if (event.type !== 'UNRECOGNIZED') return []
    return PARSED_KINDS.some((kind) => kind === event.kind) ? ['unrecognized'] : ['unknownKind']
  } catch {
    return ['unreadable']
  }
}

describe('an entry that was stored by this version', () => {
  it.each(fixtureCases)('differs only if it cannot be read or recognized: $name', ({ body }) => {
    const expected = readingOf(body)
    expect(findings(body)).toEqual(expected)
    // That is why it is dead.
    expect(findings(body, 'PayloadError: …')).toEqual(expected.length === 0 ? ['readable'] : [])
  })
})

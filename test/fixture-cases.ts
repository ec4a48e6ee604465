import { readFileSync } from 'node:fs'
import type { WebhookEvent } from '../src/index.ts'

const folder = new URL('../fixtures/', import.meta.url)

/** A case of fixtures/cases.json with its bytes and the header that another program computed. */
export interface FixtureCase {
  readonly name: string
  readonly note: string
  readonly body: Buffer
  readonly signature: string | string[] | null
  readonly expect: ExpectedEvent | ExpectedUnrecognized | ExpectedRefusal
}

type ExpectedEvent = { type: Exclude<WebhookEvent['type'], 'UNRECOGNIZED'>; data: unknown; code?: never }
type ExpectedUnrecognized = {
  type: 'UNRECOGNIZED'
  kind: string
  data: unknown
  issues: object[]
  code?: never
}
type ExpectedRefusal = { code: string; type?: never }

/** The client ids of the fixtures; the stranger's is not known to the receiver. */
export const clients = readJson('clients.json') as { default: string; second: string; stranger: string }

/** The client ids that a receiver of the fixtures knows. */
export const knownClients = [clients.default, clients.second]

const signatures = readJson('signatures.json') as Record<string, FixtureCase['signature']>

export const fixtureCases = (readJson('cases.json') as (FixtureCase & { file: string })[]).map(
  ({ name, note, file, expect }): FixtureCase => {
    const signature = signatures[name]
    if (signature === undefined)
      throw new Error(`fixtures/signatures.json has no ${name}: run fixtures/sign.py`)
    return { name, note, body: readFileSync(new URL(file, folder)), signature, expect }
  },
)

/** The case of that name. */
export function fixture(name: string): FixtureCase {
  const found = fixtureCases.find((candidate) => candidate.name === name)
  if (found === undefined) throw new Error(`there is no fixture ${name}`)
  return found
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
}

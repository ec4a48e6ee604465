import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { EVENT_KINDS, PARSED_KINDS } from '../events/kinds.ts'
import { createNotification } from '../testing/create-notification.ts'
import { type Overrides, sampleData } from '../testing/sample-data.ts'
import { sign } from '../verification/signature.ts'
import { UsageError } from './errors.ts'
import { readInput } from './read-input.ts'
import { warnUnknown } from './warn-unknown.ts'

/** A signed body to send. */
export interface Outgoing {
  /** The kind, or the file's path. */
  readonly name: string
  readonly body: Uint8Array
  readonly signature: string
}

/**
 * Creates the bodies that `payhook send` sends: from a kind, from a file, from each file of a folder in the
 * order of their names, or from stdin.
 * A kind has a new id each time, unless the data has one: a receiver ignores a body that it has just received.
 */
export type OutgoingSource = () => readonly Outgoing[]

/** @throws UsageError if it is neither a kind nor a file; Failure if a file cannot be read */
export async function openSource(
  source: string,
  clientId: string,
  data: Overrides | undefined,
): Promise<OutgoingSource> {
  const found = source === '-' ? undefined : await stat(source).catch(() => undefined)
  if (source !== '-' && found === undefined && isKind(source)) {
    warnUnknown('kind', source, PARSED_KINDS)
    return () => [fromKind(source, clientId, data)]
  }
  if (data !== undefined) throw new UsageError('--data requires a kind; a file is sent unchanged.')
  if (source !== '-' && found === undefined) {
    throw new UsageError(`${source} is neither a file nor a kind. The kinds are ${EVENT_KINDS.join(', ')}.`)
  }
  const files = found?.isDirectory() ? await filesOf(source) : [source]
  const bodies = await Promise.all(files.map(readInput))
  const outgoing = bodies.map((body, index) => ({
    name: files[index] as string,
    body,
    signature: sign({ body, clientId }),
  }))
  return () => outgoing
}

/** Unknown kinds can be sent, too. */
function isKind(text: string): boolean {
  return /^[A-Z][A-Z0-9_]*$/.test(text)
}

function fromKind(kind: string, clientId: string, data: Overrides = {}): Outgoing {
  const idField = Object.keys(sampleData(kind)).find((name) => /^id$|Id$/.test(name)) ?? 'id'
  const fresh = { [idField]: Math.floor(1e9 * (1 + Math.random())) }
  const { body, headers } = createNotification(kind, { clientId, data: { ...fresh, ...data } })
  return { name: kind, body: new TextEncoder().encode(body), signature: headers['access-signature'] ?? '' }
}

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
  if (files.length === 0) throw new UsageError(`${folder} has no files to send.`)
  return files.map(({ name }) => join(folder, name)).sort()
}

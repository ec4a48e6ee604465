import { readFileSync } from 'node:fs'

/** What the processes of a crash test recorded. */
export interface CrashRecord {
  /** Acknowledged as `stored` or `duplicate`, so that the sender does not send them again. */
  readonly acknowledged: ReadonlySet<string>
  /** How often each notification was handled. */
  readonly handled: ReadonlyMap<string, number>
  /** How many puts resolved with `duplicate`. */
  readonly duplicates: number
  /** Stored more than once within the deduplication window. */
  readonly storedTwice: ReadonlySet<string>
  /** What the last round sent, oldest first, acknowledged or not. */
  readonly lastSent: readonly string[]
  readonly rejected: number
  readonly dead: number
}

/** @param round the number of the last round */
export function readCrashJournal(path: string, round: number): CrashRecord {
  const acknowledged = new Set<string>()
  const stored = new Set<string>()
  const storedTwice = new Set<string>()
  const handled = new Map<string, number>()
  const lastSent: string[] = []
  const numbers = { duplicate: 0, rejected: 0, dead: 0 }
  const lines = readFileSync(path, 'utf8').split('\n')
  for (const line of lines) {
    const [word = '', id = ''] = line.split(' ')
    if (word === 'sent' && id.startsWith(`${round}-`)) lastSent.push(id)
    if (word === 'stored' && stored.has(id)) storedTwice.add(id)
    if (word === 'stored') stored.add(id)
    if (word === 'stored' || word === 'duplicate') acknowledged.add(id)
    if (word === 'handled') handled.set(id, (handled.get(id) ?? 0) + 1)
    if (word === 'duplicate' || word === 'rejected' || word === 'dead') numbers[word]++
  }
  return { acknowledged, handled, duplicates: numbers.duplicate, storedTwice, lastSent, ...numbers }
}

/** Notifications that were acknowledged but not handled. */
export function findUnhandled({ acknowledged, handled }: CrashRecord): string[] {
  return [...acknowledged].filter((id) => !handled.has(id))
}

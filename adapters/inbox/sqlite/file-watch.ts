import { statSync } from 'node:fs'
import { InboxError } from '../../../src/errors.ts'

const INTERVAL_MS = 1_000

/**
 * Detects that a file was deleted or replaced while SQLite has it open. Anything written after that is lost
 * when the process ends.
 *
 * @returns a function that checks at most once a second, and throws InboxError `inbox_unavailable` from then on
 */
export function watchFile(path: string): () => void {
  const inode = inodeOf(path)
  let lookedAt = performance.now()
  let isInPlace = true
  return () => {
    if (isInPlace && performance.now() - lookedAt >= INTERVAL_MS) {
      lookedAt = performance.now()
      isInPlace = inodeOf(path) === inode
    }
    if (isInPlace) return
    throw new InboxError(
      'inbox_unavailable',
      `${path} was deleted, moved or replaced while it was open. Stop the process, restore the file, and start again.`,
    )
  }
}

/** The inode number, which no other file gets while this one is open. */
function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino
}

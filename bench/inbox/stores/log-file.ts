import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { SignedNotification } from '../../../src/index.ts'
import { gatherTurn, type Store } from './store.ts'

/**
 * The minimum for durable notifications: appends to a file, with one `fdatasync`.
 *
 * @param batches `bare` for a loop without promises, `a turn` for the puts of one turn of the event loop
 */
export function createLogFile(folder: string, batches: 'bare' | 'a turn'): Store {
  const path = join(folder, 'log')
  const file = openSync(path, 'a')

  function append(notifications: readonly SignedNotification[]): void {
    writeSync(file, Buffer.concat(notifications.flatMap(toRecord)))
    fdatasyncSync(file)
  }

  return {
    put: gatherTurn(append),
    ...(batches === 'bare' && { putAll: append }),
    count: async () => countLines(readFileSync(path)),
    close: async () => closeSync(file),
  }
}

/** A line per notification, as the measured bodies have no line breaks. */
function toRecord({ signature, receivedAt, rawBody }: SignedNotification): Uint8Array[] {
  return [Buffer.from(`${signature} ${receivedAt.getTime()} ${rawBody.length} `), rawBody, LINE_BREAK]
}

const LINE_BREAK = Buffer.from('\n')

function countLines(bytes: Buffer): number {
  let lines = 0
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) lines++
  return lines
}

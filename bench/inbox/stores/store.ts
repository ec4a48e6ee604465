import type { SignedNotification } from '../../../src/index.ts'

/** A store of notifications. */
export interface Store {
  /** Resolves when the notification is as durable as this store makes it. */
  put(notification: SignedNotification): Promise<unknown>
  /**
   * Stores all notifications durably before it returns. If a store has it, it gets those of all producers at
   * once.
   */
  readonly putAll?: (notifications: readonly SignedNotification[]) => void
  /** The number of stored notifications, to verify the acknowledgements. */
  count(): Promise<number>
  /** Deletes its data and closes the engine. */
  close(): Promise<void>
}

/** Combines the puts of one turn of the event loop into one write. */
export function gatherTurn<Item>(write: (items: Item[]) => void): (item: Item) => Promise<void> {
  let waiting: {
    readonly item: Item
    readonly resolve: () => void
    readonly reject: (error: unknown) => void
  }[] = []

  function flush(): void {
    const batch = waiting
    waiting = []
    try {
      write(batch.map(({ item }) => item))
      for (const { resolve } of batch) resolve()
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush)
      waiting.push({ item, resolve, reject })
    })
}

/** Combines the puts that arrive during a write into the next write. */
export function gatherWhileBusy<Item>(
  write: (items: Item[]) => Promise<unknown>,
): (item: Item) => Promise<void> {
  let waiting: Item[] = []
  let underWay: Promise<unknown> = Promise.resolve()
  let next: Promise<void> | undefined

  async function writeNext(): Promise<void> {
    await underWay.catch(() => {})
    next = undefined
    const batch = waiting
    waiting = []
    underWay = write(batch)
    await underWay
  }

  return (item) => {
    waiting.push(item)
    next ??= writeNext()
    return next
  }
}

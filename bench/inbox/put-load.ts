import type { Inbox } from '../../src/inbox/inbox.ts'
import type { InboxDelivery } from '../../src/receiver/receiver-inbox.ts'
import type { NotificationSource } from '../support/distinct-notifications.ts'
import type { Store } from './stores/store.ts'

export interface PutResult {
  readonly perSecond: number
  /** The time of each put, in milliseconds. */
  readonly latencies: readonly number[]
}

/** Runs a number of producers. Each puts its next notification after the last one is acknowledged. */
export async function putFor(
  { put, putAll }: Pick<Store, 'put' | 'putAll'>,
  producers: number,
  milliseconds: number,
  next: NotificationSource,
): Promise<PutResult> {
  const latencies: number[] = []
  const started = performance.now()
  const deadline = started + milliseconds

  function putAtOnce(store: NonNullable<Store['putAll']>): void {
    for (let at = performance.now(); at < deadline; ) {
      store(Array.from({ length: producers }, next))
      const done = performance.now()
      for (let each = 0; each < producers; each++) latencies.push(done - at)
      at = done
    }
  }

  async function produce(): Promise<void> {
    for (let at = performance.now(); at < deadline; ) {
      await put(next())
      const done = performance.now()
      latencies.push(done - at)
      at = done
    }
  }

  if (putAll === undefined) await Promise.all(Array.from({ length: producers }, produce))
  else putAtOnce(putAll)
  return { perSecond: (latencies.length * 1000) / (performance.now() - started), latencies }
}

/** The same, up to a number of notifications. */
export async function putMany(
  { put }: Pick<Store, 'put'>,
  producers: number,
  count: number,
  next: NotificationSource,
): Promise<void> {
  let left = count
  async function produce(): Promise<void> {
    while (left-- > 0) await put(next())
  }
  await Promise.all(Array.from({ length: producers }, produce))
}

/**
 * Has an inbox handle what it holds, until `count` deliveries have been handled.
 *
 * @param handle resolves to `false` for a delivery that does not count
 * @returns how many that are per second
 */
export async function handleMany(
  inbox: Inbox,
  count: number,
  handle: (delivery: InboxDelivery) => Promise<boolean> = async () => true,
): Promise<number> {
  const all = Promise.withResolvers<void>()
  let left = count
  const started = performance.now()
  await inbox.start({
    async handle(delivery) {
      if ((await handle(delivery)) && --left === 0) all.resolve()
    },
    dead: async ({ error }) => all.reject(new Error(`A notification is dead: ${error}`)),
    failed: all.reject,
  })
  await all.promise
  return (count * 1000) / (performance.now() - started)
}

import { expect } from 'vitest'
import { concurrencyKeyOf } from '../../src/inbox/entry-rules.ts'
import type { Inbox } from '../../src/inbox/inbox.ts'
import type { InboxConsumer, InboxDelivery } from '../../src/index.ts'
import { createAbout, nameOf } from './signed-notification.ts'
import { waitFor } from './wait-for.ts'

/** A consumer whose handlers wait until the test ends them. Several inboxes can share it. */
export interface GatedConsumer extends InboxConsumer {
  /** The names of what has been started, in order; one for each attempt. */
  readonly started: readonly string[]
  readonly deliveries: readonly InboxDelivery[]
  /** The names of what is being handled, sorted. */
  running(): string[]
  /** What was started while another of its key was being handled. */
  readonly overlaps: readonly string[]
  /** Ends a handler: normally, or with an error. */
  end(name: string, error?: Error): void
}

interface Handling {
  readonly name: string
  readonly key: string | null
  readonly gate: PromiseWithResolvers<void>
}

const OTHER = 'other '
let others = 0

export function createGatedConsumer(): GatedConsumer {
  const handlings = new Set<Handling>()
  const started: string[] = []
  const overlaps: string[] = []
  const deliveries: InboxDelivery[] = []
  return {
    started,
    overlaps,
    deliveries,
    running: () => [...handlings].map(({ name }) => name).sort(),
    end(name, error) {
      const handling = [...handlings].find((one) => one.name === name)
      if (handling === undefined) throw new Error(`${name} is not being handled`)
      handlings.delete(handling)
      if (error === undefined) handling.gate.resolve()
      else handling.gate.reject(error)
    },
    async handle(delivery) {
      const { signal } = delivery
      const key = concurrencyKeyOf(delivery)
      const handling = { name: nameOf(delivery), key, gate: Promise.withResolvers<void>() }
      if (key !== null && [...handlings].some((one) => one.key === key)) overlaps.push(handling.name)
      started.push(handling.name)
      deliveries.push(delivery)
      if (handling.name.startsWith(OTHER)) return
      handlings.add(handling)
      signal.addEventListener('abort', () => handling.gate.reject(signal.reason), { once: true })
      await handling.gate.promise.finally(() => handlings.delete(handling))
    },
    dead: async () => {},
    failed: () => {},
  }
}

/** Waits until exactly these are being handled. */
export async function running(consumer: GatedConsumer, ...names: string[]): Promise<void> {
  await waitFor(() => consumer.running().join() === names.toSorted().join()).catch(() => {
    throw new Error(`expected ${names}, but ${consumer.running()} are being handled`)
  })
}

/** Ends every handler that begins until the promise resolves. */
export async function endAll(consumer: GatedConsumer, until: () => Promise<void>): Promise<void> {
  let isOver = false
  const over = until().finally(() => {
    isOver = true
  })
  await waitFor(() => {
    for (const name of consumer.running()) consumer.end(name)
    return isOver
  })
  await over
}

/** Ends every handler until there is nothing left to handle. */
export async function finish(inbox: Inbox, consumer: GatedConsumer): Promise<void> {
  await waitFor(async () => {
    for (const name of consumer.running()) consumer.end(name)
    const { waiting, active } = await inbox.counts()
    return waiting + active === 0
  })
  expect(consumer.overlaps).toEqual([])
}

/**
 * Waits until notifications about other subjects have been handled, which the consumer ends at once: after
 * that, the inbox has had the opportunity to start what it must not start.
 */
export async function passOthers(inbox: Inbox, consumer: GatedConsumer): Promise<void> {
  const names = Array.from({ length: 8 }, () => `${OTHER}${others++}`)
  for (const name of names) await inbox.put(createAbout(`payment:${name}`, name))
  await waitFor(() => names.every((name) => consumer.started.includes(name)))
  await waitFor(async () => {
    const active = await inbox.list({ state: 'active' })
    return !active.some((entry) => names.includes(nameOf(entry)))
  })
}

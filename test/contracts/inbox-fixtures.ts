import { it as base } from 'vitest'
import type { Inbox } from '../../src/inbox/inbox.ts'
import type { InboxOptions } from '../../src/inbox/inbox-options.ts'
import type { EngineUnderTest, InboxStore } from './engine-under-test.ts'
import { type InboxChild, type ProcessPlan, startInboxProcess } from './inbox-child.ts'

export const FAST: InboxOptions = { retryDelayMs: 10 }

export interface Fixtures {
  readonly store: InboxStore
  /** Opens an inbox on the test's store. */
  readonly open: (options?: InboxOptions) => Promise<Inbox>
  /** Starts a process with an inbox on the test's store. */
  readonly child: (plan: Omit<ProcessPlan, 'place'>) => InboxChild
}

/** Vitest's `it`, with a new store for each test. */
export function createInboxTest(engine: EngineUnderTest) {
  const it = base.extend<Fixtures>({
    // biome-ignore lint/correctness/noEmptyPattern: vitest requires it
    store: async ({}, use) => {
      const store = await engine.createStore()
      await use(store)
      await store.dispose()
    },
    open: async ({ store }, use) => use((options) => store.open({ ...FAST, oneAtATime: true, ...options })),
    child: async ({ store }, use) => {
      const children: InboxChild[] = []
      await use((plan) => {
        const options = { oneAtATime: true, ...plan.options }
        const child = startInboxProcess({ place: store.place, ...plan, options })
        children.push(child)
        return child
      })
      await Promise.all(children.map((child) => child.kill()))
    },
  })
  return it.concurrent
}

export type InboxTest = ReturnType<typeof createInboxTest>

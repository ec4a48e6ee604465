// A child process of inbox-crash.ts: a receiver or a worker that is to be killed. What it did it appends to a
// file, which its own end cannot undo, before anything follows from it.
import { openSync, writeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { openInbox } from '../test/contracts/open-inbox.ts'
import { createSigned } from '../test/contracts/signed-notification.ts'
import type { CrashPlan } from './crash-process.ts'

const IN_FLIGHT = 40
/** How long a producer rests between two puts at most, so that the worker is not left far behind. */
const REST_MS = 20
/** One handler in ten takes a while, at most so long; the others end at once. */
const SLOW_MS = 40

const plan: CrashPlan = JSON.parse(process.argv[2] ?? '')
const journal = openSync(plan.journal, 'a')
const note = (...words: string[]) => void writeSync(journal, `${words.join(' ')}\n`)

// An orphan must not outlive its parent.
process.once('disconnect', () => process.exit(1))

const inbox = await openInbox(plan.place, { concurrency: 20 })
if (plan.role === 'receiver') {
  const again = [...plan.again]
  let next = 0
  const produce = async () => {
    for (;;) {
      const id = (next % 8 === 0 && again.pop()) || `${plan.round}-${next}`
      next++
      note('sent', id)
      try {
        note(await inbox.put(createSigned(id)), id)
        process.send?.('at work')
      } catch (error) {
        note('refused', id, String(error))
      }
      await delay(Math.random() * REST_MS)
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, produce))
} else {
  await inbox.start({
    async handle({ rawBody }) {
      process.send?.('at work')
      if (Math.random() < 0.1) await delay(Math.random() * SLOW_MS)
      const { data } = JSON.parse(Buffer.from(rawBody).toString())
      note('handled', JSON.parse(data).id)
    },
    dead: async ({ error }) => note('dead', error),
    failed: (error) => note('failed', String(error)),
  })
}

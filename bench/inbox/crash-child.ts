// A child process of inbox-crash.ts: a receiver or a worker that will be killed. It records each step in a file
// before the next one, so that its record survives.
import { openSync, writeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { openInbox } from '../../test/contracts/open-inbox.ts'
import { createSigned } from '../../test/contracts/signed-notification.ts'
import type { CrashPlan } from './crash-process.ts'

const IN_FLIGHT = 40
/** The longest pause of a producer between two puts, so that the worker keeps up. */
const REST_MS = 20
/** The longest time of one handler in ten. The others end at once. */
const SLOW_MS = 40

const plan: CrashPlan = JSON.parse(process.argv[2] ?? '')
const journal = openSync(plan.journal, 'a')
const note = (...words: string[]) => void writeSync(journal, `${words.join(' ')}\n`)

// The child must not outlive its parent.
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
        note('rejected', id, String(error))
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

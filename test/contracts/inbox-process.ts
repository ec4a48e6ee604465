// A child process with an inbox, which tests kill. Its argument is the plan as JSON. It reports to its parent
// over IPC, and acknowledges a put only after the put has resolved.

import { setTimeout as delay } from 'node:timers/promises'
import { RetryAfterError } from '../../src/errors.ts'
import type { ProcessMessage, ProcessPlan } from './inbox-child.ts'
import { openInbox } from './open-inbox.ts'
import { createSigned } from './signed-notification.ts'
import { readPlan } from './start-program.ts'

const { place, options, role, from = 0, count = 0, inFlight = 1, handler } = readPlan<ProcessPlan>()
const inbox = await openInbox(place, options)
let told: Promise<unknown> = Promise.resolve()
function tell(message: ProcessMessage): void {
  told = new Promise((resolve) => process.send?.(message, resolve))
}

// The child must not outlive its parent.
const exit = () => process.exit(1)
process.once('disconnect', exit)

if (role === 'receiver') {
  let next = from
  const produce = async () => {
    while (next < from + count) {
      const notification = createSigned(next++)
      try {
        tell({ put: notification.signature, result: await inbox.put(notification) })
      } catch (error) {
        const cause = (error as Error).cause ?? error
        tell({ rejected: notification.signature, error: String(cause) })
      }
    }
  }
  await Promise.all(Array.from({ length: inFlight }, produce))
  await inbox.close()
  // Pending messages would be lost, both by exit() on 'disconnect' and by the end of the channel.
  await told
  process.off('disconnect', exit)
  process.disconnect()
} else {
  await inbox.start({
    async handle({ signature, attempt, rawBody }) {
      tell({ handling: signature, attempt })
      const isPoison = handler === 'poison' && Buffer.from(rawBody).includes('poison')
      if (handler === 'poison') await delay(isPoison ? 150 : 400)
      if (handler === 'crash' || isPoison) process.kill(process.pid, 'SIGKILL')
      if (handler === 'hang') await new Promise(() => {})
      if (handler === 'defer') throw new RetryAfterError('not yet', { afterMs: 5 })
      tell({ handled: signature, attempt })
    },
    dead: async ({ signature, attempts, error }) => tell({ dead: signature, attempts, error }),
    failed: (error) => tell({ failed: String(error) }),
  })
  tell({ started: true })
}

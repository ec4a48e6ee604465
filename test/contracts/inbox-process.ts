// A process of its own with an inbox in it, to be killed. Its argument is JSON: where the inbox lies, its options, and
// what to do; what it did it tells its parent over IPC, the acknowledgement of a put only after the put has resolved.

import { type ProcessMessage, parsePlan } from './inbox-child.ts'
import { openInbox } from './open-inbox.ts'
import { createSigned } from './signed-notification.ts'

const { place, options, role, from = 0, count = 0, inFlight = 1, handler } = parsePlan(process.argv[2])
const inbox = await openInbox(place, options)
const tell = (message: ProcessMessage) => void process.send?.(message)

// An orphan must not outlive its parent.
process.once('disconnect', () => process.exit(1))

if (role === 'receiver') {
  let next = from
  const produce = async () => {
    while (next < from + count) {
      const notification = createSigned(next++)
      try {
        tell({ put: notification.deliveryId, answer: await inbox.put(notification) })
      } catch (error) {
        const cause = (error as Error).cause ?? error
        tell({ refused: notification.deliveryId, error: String(cause) })
      }
    }
  }
  await Promise.all(Array.from({ length: inFlight }, produce))
  await inbox.close()
  process.disconnect()
} else {
  await inbox.start({
    async handle({ deliveryId, attempt }) {
      tell({ handling: deliveryId, attempt })
      if (handler === 'crash') process.kill(process.pid, 'SIGKILL')
      if (handler !== 'succeed') await new Promise(() => {})
      tell({ handled: deliveryId, attempt })
    },
    dead: async ({ deliveryId, attempts, error }) => tell({ dead: deliveryId, attempts, error }),
    failed: (error) => tell({ failed: String(error) }),
  })
  tell({ started: true })
}

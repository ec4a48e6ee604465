// The SQLite inbox on any runtime. `hang <file>` stores a notification and starts a handler that never ends.
// `finish <file>` stores a duplicate, takes over the notification, and prints the attempt.
import { createReceiver } from 'payhook'
import { createSqliteInbox } from 'payhook/sqlite'
import { createNotification } from 'payhook/testing'

const [role, path] = process.argv.slice(2)
const clientId = 'payhook-demo-client'
const inbox = createSqliteInbox({ path })
const receiver = createReceiver({ clientId, callbackToken: false, inbox })
const notification = createNotification('INBOUND_PAYMENT_STATUS_UPDATED', { clientId })

const { status } = await receiver.receive(notification)
if (status !== 200) throw new Error(`replied ${status}`)

if (role === 'hang') {
  receiver.onAny(() => {
    console.log('handling')
    return new Promise(() => {})
  })
  await receiver.start()
} else {
  const { promise, resolve } = Promise.withResolvers()
  receiver.onAny((_event, { attempt }) => resolve(attempt))
  await receiver.start()
  const attempt = await promise
  await receiver.stop()
  const { completed } = await inbox.counts()
  await inbox.close()
  console.log(`attempt ${attempt}, ${completed} completed`)
}

// A child process of processes.ts: a receiver, or a worker whose handler does nothing but count. Its argument
// is the plan as JSON.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { receiveWebhooks } from '../../adapters/http/node.ts'
import { createReceiver } from '../../src/index.ts'
import { type InboxPlace, openInbox } from '../../test/contracts/open-inbox.ts'
import { clientId } from '../support/notification.ts'

export interface PartPlan {
  readonly role: 'receiver' | 'worker'
  readonly place: InboxPlace
}

/** What a worker has done since its last report. */
export interface WorkReport {
  readonly handled: number
  /** From when each was received to when its handler ran, in milliseconds. */
  readonly delays: readonly number[]
}

const { role, place }: PartPlan = JSON.parse(process.argv[2] ?? '')
let delays: number[] = []
const receiver = createReceiver({ clientId, callbackToken: false, inbox: await openInbox(place) }).on(
  'OUTBOUND_PAYMENT_STATUS_UPDATED',
  (_event, { receivedAt }) => void delays.push(Date.now() - receivedAt.getTime()),
)

if (role === 'worker') {
  await receiver.start()
  process.on('message', () => {
    process.send?.({ handled: delays.length, delays } satisfies WorkReport)
    delays = []
  })
  process.send?.(0)
} else {
  const server = createServer(receiveWebhooks(receiver)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.send?.((server.address() as AddressInfo).port)
}
process.on('disconnect', () => process.exit())

import { createReceiver, type Receiver, type ReceiverInbox } from '../../../src/index.ts'
import { clientId } from '../../support/notification.ts'

/** A receiver with one handler. */
export function createBenchReceiver(inbox?: ReceiverInbox): Receiver {
  let latestId: string | undefined
  return createReceiver({ clientId, callbackToken: false, inbox }).on(
    'OUTBOUND_PAYMENT_STATUS_UPDATED',
    (event) => {
      latestId = event.data.id
      return latestId
    },
  )
}

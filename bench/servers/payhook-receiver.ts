import { createReceiver, type Receiver } from '../../src/index.ts'
import { clientId } from '../notification.ts'

/** A receiver with one handler, as anyone's has. */
export function createBenchReceiver(): Receiver {
  let latestId: string | undefined
  return createReceiver({ clientId }).on('OUTBOUND_PAYMENT_STATUS_UPDATED', (event) => {
    latestId = event.data.id
    return latestId
  })
}

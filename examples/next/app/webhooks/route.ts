import { receiveWebhooks } from 'payhook/fetch'
import { getReceiver } from '../../lib/receiver'

export const POST = (request: Request) => receiveWebhooks(getReceiver())(request)

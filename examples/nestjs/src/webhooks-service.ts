import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common'
import { createReceiver } from 'payhook'
import { createSqliteInbox } from 'payhook/sqlite'
import { PaymentsService } from './payments-service.js'

@Injectable()
export class WebhooksService implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly inbox = createSqliteInbox({ path: 'inbox.db', oneAtATime: true })
  readonly receiver

  constructor(payments: PaymentsService) {
    this.receiver = createReceiver({
      clientId: process.env.PAYHOOK_CLIENT_ID!,
      callbackToken: process.env.PAYHOOK_CALLBACK_TOKEN!,
      inbox: this.inbox,
      // What is true now: an old notification may come, or be retried, after a newer one.
      current: (event, { signal }) =>
        event.type === 'INBOUND_PAYMENT_STATUS_UPDATED' ? payments.read(event.data, signal) : null,
      logger: console,
    }).on(
      'INBOUND_PAYMENT_STATUS_UPDATED',
      (_event, { current, idempotencyKey }) => payments.update(current!, idempotencyKey!), // an inbox always gives one
    )
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.receiver.start() // from here on the handlers run
  }

  /** Nest has closed the server. */
  async onApplicationShutdown(): Promise<void> {
    await this.inbox.close() // waits for running handlers
  }
}

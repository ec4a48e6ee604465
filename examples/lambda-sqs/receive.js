import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { createReceiver } from 'payhook'
import { receiveWebhooks } from 'payhook/lambda'

const sqs = new SQSClient()

// An object with these three methods is an inbox.
const inbox = {
  async put({ rawBody, signature, subject }) {
    const message = new SendMessageCommand({
      QueueUrl: process.env.QUEUE_URL,
      MessageBody: Buffer.from(rawBody).toString('base64'),
      MessageDeduplicationId: signature, // the same body within five minutes is stored once
      MessageGroupId: subject ?? signature, // one notification of a payment at a time
    })
    await sqs.send(message)
    return 'stored'
  },
  async start() {},
  async stop() {},
}

const receiver = createReceiver({
  clientId: process.env.PAYHOOK_CLIENT_ID,
  callbackToken: process.env.PAYHOOK_CALLBACK_TOKEN,
  inbox,
  maxBodyBytes: 768 * 1024, // SQS takes 1 MiB, and base64 is a third longer
  logger: console,
})

export const handler = receiveWebhooks(receiver)

// What AWS does around the functions of examples/lambda-sqs, in its folder, on a local SQS: it invokes one for
// each request, the other for what is in the queue, and prints what is in the dead-letter queue.
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import * as sdk from '@aws-sdk/client-sqs'
import { startFauxqs } from 'fauxqs'

const sqs = await startFauxqs({ port: 0, logger: false })
const FifoQueue = 'true'
const dead = sqs.createQueue('dead.fifo', { attributes: { FifoQueue } })
const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: dead.queueArn, maxReceiveCount: 3 })
const queue = sqs.createQueue('notifications.fifo', { attributes: { FifoQueue, RedrivePolicy } })
// Not every system resolves the host name of its URLs.
const urlOf = ({ queueUrl }) => new URL(new URL(queueUrl).pathname, sqs.address).href
Object.assign(process.env, {
  QUEUE_URL: urlOf(queue),
  AWS_ENDPOINT_URL_SQS: sqs.address,
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
})
const receive = await import('./receive.js')
const handle = await import('./handle.js')
const client = new sdk.SQSClient()

createServer(async (request, response) => {
  const { pathname, search } = new URL(request.url, 'http://localhost')
  if (pathname === '/batch') {
    response.end(JSON.stringify(await handle.handler(JSON.parse(await text(request)))))
    return
  }
  const { statusCode, headers, body } = await receive.handler({
    version: '2.0',
    rawPath: pathname,
    rawQueryString: search.slice(1),
    headers: request.headers,
    requestContext: { http: { method: request.method, path: pathname } },
    body: await text(request),
    isBase64Encoded: false,
  })
  response.writeHead(statusCode, headers).end(body)
}).listen(0, function () {
  console.log(`listening on port ${this.address().port}`)
})

async function poll(QueueUrl, invoke) {
  for (;;) {
    const waiting = { MaxNumberOfMessages: 10, WaitTimeSeconds: 20, MessageSystemAttributeNames: ['All'] }
    const { Messages = [] } = await client.send(new sdk.ReceiveMessageCommand({ QueueUrl, ...waiting }))
    if (Messages.length === 0) continue
    const Records = Messages.map(({ MessageId, Body, Attributes }) => ({
      messageId: MessageId,
      body: Body,
      attributes: Attributes,
    }))
    const { batchItemFailures } = await invoke({ Records })
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
    for (const { MessageId, ReceiptHandle } of Messages) {
      // Lambda waits for the end of the visibility timeout instead.
      const command = failed.has(MessageId)
        ? new sdk.ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 })
        : new sdk.DeleteMessageCommand({ QueueUrl, ReceiptHandle })
      await client.send(command)
    }
  }
}

const printDead = ({ Records }) => {
  for (const { body } of Records) console.log('dead letter', Buffer.from(body, 'base64').toString())
  return { batchItemFailures: [] }
}
await Promise.all([poll(urlOf(queue), handle.handler), poll(urlOf(dead), printDead)])

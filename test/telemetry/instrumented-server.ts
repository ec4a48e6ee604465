// An application with OpenTelemetry, in a process of its own: what it instruments is patched when it is loaded.

import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { registerInstrumentations } from '@opentelemetry/instrumentation'
import { ExpressInstrumentation } from '@opentelemetry/instrumentation-express'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'

const exporter = new InMemorySpanExporter()
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }))
registerInstrumentations({
  instrumentations: [
    new HttpInstrumentation({ redactedQueryParamsServer: ['token'] }),
    new ExpressInstrumentation(),
    // Not the queries with which an inbox looks for work.
    new PgInstrumentation({ requireParentSpan: true }),
  ],
})

const require = createRequire(import.meta.url)
require('node:http')
const express: typeof import('express') = require('express')
const pg: typeof import('pg') = require('pg')
const { receiveWebhooks } = await import('../../adapters/http/express.ts')
const { createReceiver } = await import('../../src/index.ts')
const { createNotification } = await import('../../src/testing/create-notification.ts')
const { instrument } = await import('../../adapters/telemetry/opentelemetry/opentelemetry.ts')
const { openInbox } = await import('../contracts/open-inbox.ts')

const [databaseUrl, place] = process.argv.slice(2)
const clientId = 'client-of-the-tests'
const callbackToken = 'MARKED-callback-token'
const pool = new pg.Pool({ connectionString: databaseUrl })
const inbox = place === undefined ? undefined : await openInbox(JSON.parse(place))
const handled = Promise.withResolvers<void>()
const receiver = instrument(createReceiver({ clientId, callbackToken, ...(inbox && { inbox }) }))
receiver.on('INBOUND_PAYMENT_STATUS_UPDATED', async ({ data }) => {
  await pool.query('select $1::text as payment', [data.id])
  handled.resolve()
})
await receiver.start()

const server = express().post('/webhooks', receiveWebhooks(receiver)).listen(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))
const { port } = server.address() as AddressInfo
const { headers, body } = createNotification('INBOUND_PAYMENT_STATUS_UPDATED', {
  clientId,
  data: { message: randomUUID() },
})
const response = await fetch(`http://127.0.0.1:${port}/webhooks?token=${callbackToken}`, {
  method: 'POST',
  headers,
  body,
})
await response.text()
await handled.promise
await receiver.stop()
server.close()
await inbox?.close()
await pool.end()

const told = exporter.getFinishedSpans().map((span) => ({
  name: span.name,
  attributes: span.attributes,
  id: span.spanContext().spanId,
  parent: span.parentSpanContext?.spanId,
  links: span.links.map((link) => link.context.spanId),
}))
console.log(JSON.stringify(told))

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import express from 'express'
import { receiveWebhooks } from '../../adapters/http/express.ts'
import { instrument } from '../../adapters/telemetry/opentelemetry/opentelemetry.ts'
import type { InboxHealth } from '../../src/inbox/health.ts'
import type { Inbox } from '../../src/inbox/inbox.ts'
import { createReceiver, type WebhookEvent } from '../../src/index.ts'
import { type InboxPlace, openInbox } from '../../test/contracts/open-inbox.ts'

/** A process of an application, as Prometheus sees it: Express, a receiver, an inbox, and `/metrics`. */
export interface MonitoredApplication {
  readonly port: number
  readonly url: string
  readonly inbox: Inbox
  /** With limits that are as short as those of the alert rules. */
  health(): Promise<InboxHealth>
  startWorker(): Promise<void>
  stopWorker(): Promise<void>
  /** Closes and opens the port again. */
  unlisten(): Promise<void>
  listen(): Promise<void>
  close(): Promise<void>
}

/** The exceptions are what the alerts are about. */
const QUIET = { warn() {}, error() {} }

export async function startMonitored(
  place: InboxPlace,
  clientId: string,
  handle: (event: WebhookEvent) => Promise<void>,
): Promise<MonitoredApplication> {
  const exporter = new PrometheusExporter({ preventServerStart: true })
  const meterProvider = new MeterProvider({ readers: [exporter] })
  // What fails is to be retried for as long as the fault lasts.
  const inbox = await openInbox(place, {
    maxAttempts: 1_000,
    retryDelayMs: 200,
    maxRetryDelayMs: 400,
    stopTimeoutMs: 500,
  })
  const receiver = instrument(createReceiver({ clientId, callbackToken: false, inbox, logger: QUIET }), {
    meterProvider,
  })
  receiver.onAny(handle)
  await receiver.start()

  const app = express()
  app.post('/webhooks', receiveWebhooks(receiver))
  app.get('/metrics', (request, response) => exporter.getMetricsRequestHandler(request, response))
  let server = createServer(app)
  const listen = async (port: number) => {
    server = createServer(app).listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const unlisten = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  const port = await listen(0)
  return {
    port,
    url: `http://127.0.0.1:${port}/webhooks`,
    inbox,
    health: () => inbox.health({ lagMs: 5_000, silenceMs: 15_000 }),
    startWorker: () => receiver.start(),
    stopWorker: () => receiver.stop(),
    unlisten,
    listen: async () => void (await listen(port)),
    async close() {
      await unlisten()
      await inbox.close()
      await meterProvider.shutdown()
    },
  }
}

// Causes each fault that examples/prometheus/alerts.yml is about, in a real application that a real Prometheus
// scrapes, and waits for the alert. Takes three minutes, as minutes are seconds: node scripts/alerts/try-alerts.ts
// Needs prometheus and redis-server.

import { randomUUID } from 'node:crypto'
import type { InboxHealth } from '../../src/inbox/health.ts'
import { createRedisServer } from '../../test/contracts/redis-server.ts'
import { waitFor } from '../../test/contracts/wait-for.ts'
import { assertDashboard } from './dashboard.ts'
import { FAULTS, type Fault, type Monitored } from './faults.ts'
import { startLoad } from './load.ts'
import { startMonitored } from './monitored-application.ts'
import { type PrometheusServer, startPrometheus, toFast } from './prometheus-server.ts'

const settings = { appendonly: 'yes', save: '' }
await using server = await createRedisServer()
const redis = { ...server, start: () => server.start(settings) }
await redis.start()
const place = { engine: 'bullmq', host: redis.host, port: redis.port, queueName: randomUUID() } as const
const clientId = 'payhook-demo-client'
const handlers: Monitored['handlers'] = { fail: false }

async function handle(event: { data?: unknown }): Promise<void> {
  if (handlers.fail) throw new Error('the bookkeeping is down')
  const { id } = event.data as { id?: string }
  if (id === handlers.hangFor) await waitFor(() => handlers.hangFor !== id)
}

const applications = [
  await startMonitored(place, clientId, handle),
  await startMonitored(place, clientId, handle),
] as const
const [{ inbox }] = applications
const load = startLoad({ urls: applications.map(({ url }) => url), perSecond: 5, clientId })
const prometheus = await startPrometheus(applications.map(({ port }) => port))

try {
  await waitFor(async () => (await prometheus.query('sum(payhook_notifications_total) > 20')).length > 0)
  console.log('| Fault | health() | Metric | Alerts |\n|---|---|---|---|')
  for (const fault of FAULTS) console.log(await tryFault(fault, prometheus))
  console.log(`\nAll ${await assertDashboard(prometheus)} queries of the dashboard have results.`)
} finally {
  load.stop()
  handlers.hangFor = undefined
  for (const application of applications) await application.close()
  await prometheus.stop()
}

/** @returns the row of the table */
async function tryFault(fault: Fault, { query, firing }: PrometheusServer): Promise<string> {
  const mend = await fault.cause({ clientId, redis, applications, inbox, load, handlers })
  const alerts = await waitFor(async () => {
    const names = await firing()
    return fault.alerts.every((alert) => names.includes(alert)) ? names : undefined
  })
  const health = toText(await applications[0].health())
  const [series] = await query(toFast(fault.metric))
  const value = series?.value ?? Number.NaN
  await mend()
  await waitFor(async () => (await firing()).length === 0)
  return `| ${fault.name} | ${health} | \`${fault.metric}\` is ${Math.round(value)} | ${alerts.join(', ')} |`
}

function toText({ status, problems }: InboxHealth): string {
  return problems.length === 0 ? status : `${status}: ${problems.map(({ code }) => code).join(', ')}`
}

// Draws docs/images/outage.svg: what Prometheus sees of an application during two outages, and which alerts
// fire. Takes two minutes: node scripts/draw-outage.ts. Needs prometheus and redis-server.

import { writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Line } from '../bench/line-plot.ts'
import { reconcile } from '../src/index.ts'
import { startRedis } from './alerts/killable-engine.ts'
import { startLoad } from './alerts/load.ts'
import { startMonitored } from './alerts/monitored-application.ts'
import { startPrometheus, toFast } from './alerts/prometheus-server.ts'
import { type Span, toTimelineSvg } from './alerts/timeline-plot.ts'

const SECONDS = 100
const engine = await startRedis()
const clientId = 'payhook-demo-client'
let bookkeepingIsDown = false
const handle = async () => {
  if (bookkeepingIsDown) throw new Error('the bookkeeping is down')
}
const applications = [
  await startMonitored(engine.place, clientId, handle),
  await startMonitored(engine.place, clientId, handle),
] as const
const lost: string[] = []
const load = startLoad({
  urls: applications.map(({ url }) => url),
  perSecond: 10,
  clientId,
  onLost: (paymentId) => lost.push(paymentId),
})
const prometheus = await startPrometheus(applications.map(({ port }) => port))

try {
  const start = Date.now() / 1_000 + 10
  const until = (second: number) => delay(Math.max((start + second) * 1_000 - Date.now(), 0))

  await until(15)
  await engine.kill()
  await until(30)
  await engine.restore()
  await until(45)
  bookkeepingIsDown = true
  await until(70)
  bookkeepingIsDown = false
  await until(85)
  const kind = 'INBOUND_PAYMENT_STATUS_UPDATED'
  const list = lost.map((id) => ({ kind, data: { id, status: 'Complete' } }))
  const { inbox } = applications[0]
  const since = new Date(start * 1_000)
  const { missed, recovered } = await reconcile({ inbox, clientId, list, since, graceMs: 0 })
  console.log(`${lost.length} lost, ${missed} missed, ${recovered} recovered`)
  await until(SECONDS)

  const lines = async (query: string, ...names: string[]): Promise<Line[]> => {
    const found = await prometheus.queryRange(toFast(query), start, start + SECONDS)
    return names.flatMap((name) => {
      const series = found.find(({ metric }) => Object.values(metric).includes(name)) ?? found[0]
      return { name, points: (series?.values ?? []).map(([time, value]) => [time - start, value] as const) }
    })
  }
  const verdicts = 'sum by (payhook_verdict) (rate(payhook_notifications_total[3s]))'
  const svg = toTimelineSvg({
    title: 'Two outages, as Prometheus sees them',
    seconds: SECONDS,
    spans: [
      { name: 'Redis is down', from: 15, to: 30 },
      { name: 'the handlers’ database is down', from: 45, to: 70 },
    ],
    plots: [
      {
        title: 'Requests per second',
        lines: await lines(verdicts, 'received', 'inbox_unavailable'),
      },
      {
        title: 'Entries of the inbox',
        lines: await lines('max by (payhook_state) (payhook_inbox_entries)', 'waiting'),
      },
      {
        title: 'Found by reconcile',
        lines: await lines('sum(payhook_reconcile_missed_total)', 'missed'),
      },
    ],
    alerts: await firedAlerts(start),
  })
  writeFileSync(fileURLToPath(new URL('../docs/images/outage.svg', import.meta.url)), svg)
} finally {
  load.stop()
  for (const application of applications) await application.close()
  await prometheus.stop()
  await engine.dispose()
}

async function firedAlerts(start: number): Promise<Span[]> {
  const found = await prometheus.queryRange(
    'count by (alertname) (ALERTS{alertstate="firing"})',
    start,
    start + SECONDS,
  )
  const spans = found.map(({ metric, values }) => {
    const seconds = values.map(([time]) => time - start)
    return { name: metric.alertname ?? '', from: seconds[0] ?? 0, to: (seconds.at(-1) ?? 0) + 1 }
  })
  return spans.toSorted((a, b) => a.from - b.from)
}

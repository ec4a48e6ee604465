import { readFileSync } from 'node:fs'
import { type PrometheusServer, shipped, toFast } from './prometheus-server.ts'

interface Panel {
  readonly title: string
  readonly targets?: readonly { readonly expr: string }[]
}

/**
 * Runs every query of the Grafana dashboard.
 *
 * @returns how many there are
 * @throws if one has no result
 */
export async function assertDashboard({ query }: PrometheusServer): Promise<number> {
  const { panels } = JSON.parse(readFileSync(`${shipped}dashboard.json`, 'utf8')) as { panels: Panel[] }
  let count = 0
  for (const { title, targets = [] } of panels) {
    for (const { expr } of targets) {
      const series = await query(toFast(expr.replaceAll('$__rate_interval', '10m').replaceAll('$job', '.*')))
      if (series.length === 0) throw new Error(`"${title}" has no data: ${expr}`)
      count++
    }
  }
  return count
}

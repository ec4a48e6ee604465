import { readFileSync } from 'node:fs'
import { type PrometheusServer, shipped, toFast } from './prometheus-server.ts'

interface Panel {
  readonly title: string
  readonly targets?: readonly { readonly expr: string }[]
}

/** The queries of the Grafana dashboard, for all jobs. */
export function readDashboardQueries(): { title: string; expr: string }[] {
  const { panels } = JSON.parse(readFileSync(`${shipped}dashboard.json`, 'utf8')) as { panels: Panel[] }
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({
      title,
      expr: expr.replaceAll('$__rate_interval', '10m').replaceAll('$job', '.*'),
    })),
  )
}

/**
 * Runs every query of the Grafana dashboard.
 *
 * @returns how many there are
 * @throws if one has no result
 */
export async function assertDashboard({ query }: PrometheusServer): Promise<number> {
  const queries = readDashboardQueries()
  for (const { title, expr } of queries) {
    if ((await query(toFast(expr))).length === 0) throw new Error(`"${title}" has no data: ${expr}`)
  }
  return queries.length
}

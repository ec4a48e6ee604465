import { emphasize, type Table, toRange } from '../support/report.ts'
import type { ServerRow } from './measure-servers.ts'

/** The table of servers under load. */
export function toHttpTable(title: string, rows: readonly ServerRow[]): Table<ServerRow> {
  return {
    title,
    columns: {
      server: ({ name }) => emphasize(name),
      throughput: ({ throughput }) => throughput.median.toFixed(2),
      'middle half of the rounds': ({ throughput }) => toRange(throughput),
      'processor time': ({ cpu }) => cpu.median.toFixed(2),
      'requests per second': ({ requestsPerSecond }) => requestsPerSecond.toFixed(0),
      'server busy': ({ busy }) => `${(busy * 100).toFixed(0)} %`,
      target: ({ target }) => (target === undefined ? '' : `≥ ${target.toFixed(2)}`),
    },
    rows,
  }
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findFreePort } from '../../test/contracts/redis-server.ts'
import { waitFor } from '../../test/contracts/wait-for.ts'

export interface Series {
  readonly metric: Readonly<Record<string, string>>
  readonly value: number
}

/** A Prometheus with the shipped configuration and alert rules, in which minutes are seconds. */
export interface PrometheusServer {
  /** The series of an expression, with their current values. */
  query(expression: string): Promise<Series[]>
  /** The names of the alerts that fire. */
  firing(): Promise<string[]>
  stop(): Promise<void>
}

export const shipped = fileURLToPath(new URL('../../examples/prometheus/', import.meta.url))

/** Starts `prometheus`, which scrapes the ports every second. */
export async function startPrometheus(ports: readonly number[]): Promise<PrometheusServer> {
  const folder = mkdtempSync(join(tmpdir(), 'payhook-prometheus-'))
  const targets = ports.map((port) => `'127.0.0.1:${port}'`)
  const config = readFileSync(`${shipped}prometheus.yml`, 'utf8')
    .replaceAll(/_interval: 15s/g, '_interval: 1s')
    .replace("'localhost:9464'", targets.join())
  writeFileSync(join(folder, 'prometheus.yml'), config)
  writeFileSync(join(folder, 'alerts.yml'), toFast(readFileSync(`${shipped}alerts.yml`, 'utf8')))

  const port = await findFreePort()
  const options = ['--config.file=prometheus.yml', '--storage.tsdb.path=data', '--log.level=warn']
  const server = spawn('prometheus', [...options, `--web.listen-address=127.0.0.1:${port}`], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  await once(server, 'spawn')
  process.once('exit', () => server.kill())
  const api = `http://127.0.0.1:${port}`
  await waitFor(() =>
    fetch(`${api}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  const query = async (expression: string): Promise<Series[]> => {
    const result = await call(`${api}/api/v1/query?${new URLSearchParams({ query: expression })}`)
    return result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }))
  }
  return {
    query,
    async firing() {
      const alerts = await query('ALERTS{alertstate="firing"}')
      return [...new Set(alerts.map(({ metric }) => metric.alertname ?? ''))].toSorted()
    },
    async stop() {
      const gone = once(server, 'exit')
      server.kill()
      await gone
      rmSync(folder, { recursive: true })
    },
  }
}

/** Turns minutes into seconds, hours into six, a week into one minute, and ages of minutes into seconds. */
export function toFast(expressions: string): string {
  return expressions
    .replaceAll(/\b(\d+)m\b/g, '$1s')
    .replaceAll(/\b(\d+)h\b/g, (_, hours: string) => `${Number(hours) * 6}s`)
    .replaceAll('1w', '60s')
    .replaceAll('> 300', '> 5')
    .replaceAll('> 86400', '> 15')
}

async function call(
  url: string,
): Promise<{ metric: Series['metric']; value: [seconds: number, value: string] }[]> {
  const response = (await (await fetch(url)).json()) as { error?: string; data: { result: [] } }
  if (response.error !== undefined) throw new Error(`${response.error}: ${url}`)
  return response.data.result
}

import { execFile, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { readDashboardQueries } from '../../scripts/alerts/dashboard.ts'
import { startMonitored } from '../../scripts/alerts/monitored-application.ts'
import { createNotification } from '../../src/testing/index.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const shipped = fileURLToPath(new URL('../../examples/prometheus/', import.meta.url))
const folder = fileURLToPath(new URL('.', import.meta.url))
const rules = readFileSync(`${shipped}alerts.yml`, 'utf8')
const queries = readDashboardQueries()
const CASES = ['alert-rules.yml', 'alert-rules-of-days.yml']

const promtool = (...args: string[]) => promisify(execFile)('promtool', args, { cwd: folder })

if (spawnSync('promtool', ['--version']).status === 0) {
  describe('promtool', () => {
    it('accepts the configuration with its alert rules', async () => {
      await promtool('check', 'config', `${shipped}prometheus.yml`)
    })

    it('finds that the rules fire for what they say, and only then', async () => {
      await promtool('test', 'rules', ...CASES)
    })

    it('accepts the queries of the dashboard', async () => {
      const file = join(temporaryFolder(), 'dashboard.yml')
      const records = queries.map(({ expr }, at) => ({ record: `query:${at}`, expr }))
      writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: records }] }))
      await promtool('check', 'rules', file)
    })
  })
} else {
  it('promtool', ({ skip }) =>
    skip('There is no promtool. "apt-get install --no-install-recommends prometheus" installs it.'))
}

it('has a case for each alert rule', () => {
  const cases = CASES.map((file) => readFileSync(`${folder}${file}`, 'utf8')).join()
  const names = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name)
  expect(names).toHaveLength(12)
  expect(names.filter((name) => !cases.includes(`alertname="${name}"`))).toEqual([])
})

it('uses only metrics and labels that an application exports', async () => {
  const clientId = 'payhook-demo-client'
  const place = { engine: 'sqlite', path: join(temporaryFolder(), 'inbox.db') } as const
  const application = await startMonitored(place, clientId, () => Promise.reject(new TypeError()))
  await fetch(application.url, createNotification('VBA_TRANSACTION', { clientId }))
  await expect.poll(() => scrape(application.port)).toContain('error_type="TypeError"')
  const metrics = await scrape(application.port)
  await application.close()

  const used = `${rules}\n${queries.map(({ expr }) => expr).join('\n')}`
  const names = used.matchAll(/\b(?:payhook|messaging)_[a-z_]+(?=[{)= ]|$)/gm)
  expect([...new Set([...names].map(([name]) => name))].filter((name) => !metrics.includes(name))).toEqual([])
})

async function scrape(port: number): Promise<string> {
  return await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
}

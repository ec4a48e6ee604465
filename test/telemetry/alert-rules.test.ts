import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const shipped = fileURLToPath(new URL('../../examples/prometheus/', import.meta.url))
const folder = fileURLToPath(new URL('.', import.meta.url))
const CASES = ['alert-rules.yml', 'alert-rules-of-days.yml']

const promtool = (...args: string[]) => promisify(execFile)('promtool', args, { cwd: folder })

if (spawnSync('promtool', ['--version']).status === 0) {
  describe('the alert rules', () => {
    it('load with the configuration beside them', async () => {
      const { stdout } = await promtool('check', 'config', `${shipped}prometheus.yml`)
      expect(stdout).toContain('SUCCESS: 12 rules found')
    })

    it('fire for what they say, and only then', async () => {
      await promtool('test', 'rules', ...CASES)
    })
  })
} else {
  it('the alert rules', ({ skip }) =>
    skip('There is no promtool. "apt-get install --no-install-recommends prometheus" installs it.'))
}

it('has a case for each alert rule', () => {
  const rules = readFileSync(`${shipped}alerts.yml`, 'utf8').matchAll(/- alert: (\w+)/g)
  const cases = CASES.map((file) => readFileSync(`${folder}${file}`, 'utf8')).join()
  expect([...rules].map(([, name]) => name).filter((name) => !cases.includes(`alertname="${name}"`))).toEqual(
    [],
  )
})

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { openSandbox, receiver } from '../open-sandbox.ts'

const page = readFileSync(new URL('../../../docs/sandbox.md', import.meta.url), 'utf8')
const [, section = ''] = page.split('## Control it over HTTP')

it('has documentation whose every curl line succeeds', async () => {
  const lines = [...section.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block = '']) =>
    block.trim().split('\n'),
  )
  expect(lines.length).toBeGreaterThan(15)
  const sandbox = await openSandbox()
  const { url, arrivals } = await receiver()
  // Each answer on its own line, and an error of HTTP fails the script.
  const script = lines
    .map((line) => `${line.replaceAll('curl -s', 'curl -sS --fail-with-body')}\necho\n`)
    .join('')
  const { stdout } = await promisify(execFile)('bash', ['-eo', 'pipefail', '-c', script], {
    env: { ...process.env, SANDBOX: sandbox.url, RECEIVER: url },
  })
  expect(stdout).toContain('"cause":"newline_added"')
  expect(arrivals.map(({ body }) => body).join()).toContain('12345678901234567.89')
  expect(arrivals.every(({ genuine }) => genuine)).toBe(true)
  expect(arrivals).toHaveLength(9)
})

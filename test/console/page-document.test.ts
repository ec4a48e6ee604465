import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { readPage } from '../../src/console/page-document.ts'
import { openSandbox } from '../sandbox/open-sandbox.ts'

it('serves the console in one document whose policy forbids everything else', async () => {
  const { url } = await openSandbox()
  const response = await fetch(url)
  expect(response.status).toBe(200)
  const policy = response.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("require-trusted-types-for 'script'")
  expect(policy).not.toContain('unsafe')
  expect(policy).not.toContain('http')
  expect(gzipSync(await response.text()).length).toBeLessThan(40 * 1024)
})

it("serves an inbox's page of less than 40 KB", async () => {
  const { html } = await readPage('inbox')
  expect(gzipSync(html).length).toBeLessThan(40 * 1024)
})

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { sign } from '../../src/index.ts'
import { toCurl } from '../../src/testing/curl.ts'
import { receiver } from '../sandbox/open-sandbox.ts'

it.each([
  ['quotes and a line break', `it's "quoted"\n`],
  ['what curl would read from a file', '@/etc/passwd'],
  ['a zero byte', '\0'],
  ['more than fits into an argument', 'é'.repeat(65_536)],
  ['bytes that are not UTF-8', Buffer.from([0, 255, 10])],
])('writes a curl command that sends the same bytes: %s', async (_, body) => {
  const { url, arrivals } = await receiver()
  const headers = { 'access-signature': sign({ body, clientId: 'sandbox-client-id' }), host: 'shop.example' }
  const text = typeof body === 'string' ? body : undefined
  const command = toCurl({ url, headers, bodyBase64: Buffer.from(body).toString('base64'), text })
  const shell = promisify(execFile)('sh')
  shell.child.stdin?.end(command)
  await shell
  expect(arrivals).toMatchObject([{ genuine: true, headers: { host: new URL(url).host } }])
})

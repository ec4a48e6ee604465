import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { temporaryFile } from '../support/temporary-folder.ts'
import { CLIENT_ID, jsonLinesOf, payhook } from './payhook.ts'
import { spawnedPayhook, spawnPayhook } from './payhook-process.ts'

// A byte order mark and invalid UTF-8, which change if the body is decoded.
const BODY = Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0xff, 0x00, 0x7d])
const SIGNATURE = createHmac('sha256', CLIENT_ID).update(BODY).digest('hex')

const fileOf = (body: Uint8Array) => temporaryFile('body', body)

describe('payhook sign', () => {
  it('prints the signature of the exact bytes of a file', async () => {
    expect(await payhook(['sign', fileOf(BODY)])).toEqual({ code: 0, stdout: `${SIGNATURE}\n`, stderr: '' })
  })

  it('reads stdin for -, and prints JSON with --json', async () => {
    const outcome = await spawnedPayhook(['sign', '-', '--json'], { stdin: BODY })
    expect(outcome.code).toBe(0)
    expect(jsonLinesOf(outcome)).toEqual([{ version: 1, signature: SIGNATURE }])
  })
})

it('warns if nothing comes from stdin', async () => {
  expect(await payhook(['sign', '-'])).toMatchObject({ code: 0, stderr: 'stdin is empty.\n' })
})

describe('payhook verify', () => {
  it('exits 1 for a wrong signature although nobody reads what it prints', async () => {
    const { child, ended } = spawnPayhook(['verify', '-', '--signature', SIGNATURE])
    child.stdout.destroy()
    child.stdin.end('another body')
    expect(await ended()).toBe(1)
  })

  it('exits 0 if the signature is right', async () => {
    const outcome = await payhook(['verify', fileOf(BODY), '--signature', SIGNATURE])
    expect(outcome).toEqual({ code: 0, stdout: 'valid\n', stderr: '' })
  })

  it.each([
    ['a newline at the end', Buffer.concat([BODY, Buffer.from('\n')]), SIGNATURE, 'ends with a newline'],
    ['uppercase digits', BODY, SIGNATURE.toUpperCase(), 'lowercase'],
    ['no signature', BODY, '', 'no signature'],
  ])('exits 1 and reports %s', async (_, body, signature, reason) => {
    const { code, stdout, stderr } = await payhook(['verify', fileOf(body), '--signature', signature])
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'invalid\n' })
    expect(stderr).toContain(reason)
  })

  it('recognizes the client secret if it is in the environment', async () => {
    const signature = createHmac('sha256', 'secret').update(BODY).digest('hex')
    const env = { PAYHOOK_CLIENT_SECRET: 'secret' }
    const outcome = await payhook(['verify', fileOf(BODY), '--json', '--signature', signature], { env })
    expect(outcome.code).toBe(1)
    expect(jsonLinesOf(outcome)).toEqual([
      { version: 1, valid: false, cause: 'client_secret', message: expect.any(String) },
    ])
  })
})

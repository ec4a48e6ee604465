import { describe, expect, it } from 'vitest'
import { withCallbackToken } from '../../src/index.ts'
import { type CheckReport, checkReceiver } from '../../src/testing/index.ts'
import { CLIENT_ID, CLIENT_SECRET, missingFor, startReceiver, TOKEN } from './receiver-process.ts'

/** Receivers that people write, and what has to be found in them. */
const MISTAKES: Record<string, readonly string[]> = {
  'node-express-json.mjs': [
    ...['spaces', 'spaces-around', 'escapes', 'megabyte', 'inline-data', 'unknown-kind'],
    ...[
      'signature-of-rewritten-body',
      'signature-of-decoded-text',
      'not-an-envelope',
      'reveals-secret',
      'reveals-trace',
    ],
    ...['few-headers', 'forged-types', 'not-data', 'no-callback-token'],
  ],
  'node-strings.mjs': [
    ...['no-limit', 'client-secret', 'signature-of-decoded-text', 'signature-too-long'],
    ...['signature-uppercase', 'signature-base64', 'signature-twice', 'signature-list', 'no-callback-token'],
  ],
  'node-responds-first.mjs': [
    ...['no-limit', 'signature-missing', 'signature-empty', 'wrong-key', 'client-secret', 'guessable-key'],
    ...['forged-kinds', 'forged-unknown-kind', 'forged-inline', 'forged-types', 'forged-headers'],
    ...['forged-methods', 'forged-paths', 'forged-chunked', 'forged-megabyte', 'body-changed'],
    'body-changed-later',
    ...['signature-of-rewritten-body', 'signature-of-data', 'signature-of-decoded-text'],
    ...['signature-altered', 'signature-truncated', 'signature-too-long', 'signature-not-hex'],
    ...['signature-not-ascii', 'signature-uppercase', 'signature-base64', 'signature-prefixed'],
    ...['signature-twice', 'signature-list', 'keep-alive', 'genuine-beside-forged', 'get'],
    ...['unsigned-empty', 'no-callback-token'],
  ],
  'python-database.py': [
    ...['inline-data', 'earlier-form', 'unknown-status', 'spaces-around', 'utf-8', 'megabyte', 'chunked'],
    ...['three-times', 'three-at-once', 'out-of-order', 'signature-of-rewritten-body', 'signature-twice'],
    ...['not-json', 'not-an-envelope', 'not-data', 'no-callback-token'],
  ],
  'php-rewritten.php': [
    ...['inline-data', 'spaces', 'spaces-around', 'escapes', 'megabyte', 'signature-of-rewritten-body'],
    ...['signature-uppercase', 'no-callback-token', 'reveals-trace', 'acknowledged-failure'],
  ],
  'go-strict.go': [
    ...['inline-data', 'unknown-kind', 'unknown-field', 'no-limit', 'signature-too-long'],
    ...['signature-uppercase', 'signature-twice', 'signature-list', 'not-utf-8', 'not-an-envelope'],
    ...['not-data', 'no-callback-token'],
  ],
}

/** These depend on the machine: pieces may arrive together, and what is sent at once in any order. */
const BY_CHANCE = ['response-time', 'pieces', 'one-payment-at-once']

function failedOf({ results }: CheckReport): string[] {
  const failed = results.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id)
  return failed.filter((id) => !BY_CHANCE.includes(id))
}

function itChecks(
  file: string,
  title: string,
  judge: (report: CheckReport) => void,
  timeoutMs?: number,
): void {
  it.concurrent(`${title} ${file}`, async ({ skip, onTestFinished }) => {
    const missing = missingFor(file)
    if (missing !== undefined) skip(missing)
    const receiver = await startReceiver(file)
    onTestFinished(receiver.stop)
    const url = file.startsWith('right') ? withCallbackToken(receiver.url, TOKEN) : receiver.url
    const { clientId, clientSecret } = { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET }
    judge(await checkReceiver({ url, clientId, clientSecret, timeoutMs }))
  })
}

describe('checkReceiver', () => {
  for (const file of ['right.mjs', 'right.py', 'right.php', 'right.go'])
    itChecks(file, 'finds nothing in', (report) => {
      expect(failedOf(report)).toEqual([])
      expect(report).toMatchObject({ passed: true, conclusions: [] })
    })

  for (const [file, expected] of Object.entries(MISTAKES))
    itChecks(file, 'finds the mistakes of', (report) => {
      expect(failedOf(report).toSorted()).toEqual([...expected].toSorted())
    })

  itChecks('node-throws.mjs', 'names what ends', (report) => {
    expect(failedOf(report)).toContain('signature-missing')
    expect(report).toMatchObject({ passed: false, conclusions: [] })
    expect(report.stopped).toMatch(/^the receiver ended (?:after|during) "/)
  })

  // It blocks itself for as long as a sender stalls, so on a busy machine more may be late.
  const blocked = ['stalled-sender', 'chunked', 'keep-alive', 'signature-not-ascii', 'signature-twice']
  itChecks(
    'python-one-at-a-time.py',
    'finds the mistakes of',
    (report) => expect(failedOf(report)).toEqual(expect.arrayContaining(blocked)),
    1_500,
  )
})

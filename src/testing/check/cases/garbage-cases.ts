import { Buffer } from 'node:buffer'
import type { SendingCase } from '../check-case.ts'

/** Requests that are no notifications, although some are signed. */
export const GARBAGE_CASES: readonly SendingCase[] = [
  {
    id: 'get',
    level: 'should',
    title: 'A GET request',
    why: 'A URL that responds to a browser with 200 looks as if it had received something.',
    mend: 'Respond with 405 to methods other than POST.',
    requests: () => [{ method: 'GET', body: '', signatures: [], expected: 'rejected' }],
  },
  {
    id: 'unsigned-empty',
    level: 'should',
    title: 'An empty body without a signature',
    why: 'Some parsers skip an empty body, and with it what verifies in them.',
    mend: 'Reject every request without a signature, whatever its body is.',
    requests: () => [{ body: '', signatures: [], expected: 'rejected' }],
  },
  toCase('not-json', 'text that is not JSON', ['', 'not JSON', '{"type":"INBOUND_']),
  toCase('not-utf-8', 'bytes that are not UTF-8', [Buffer.from('{"type":"\xff"}', 'latin1')]),
  toCase('not-an-envelope', 'JSON that is no notification', [
    'null',
    '[]',
    '7',
    '{}',
    '{"type":7,"data":[]}',
    '{"type":"__proto__","data":"{}"}',
  ]),
  {
    ...toCase('not-data', '', []),
    title: 'Kinds whose data is absent, null, or no JSON',
    requests: (samples) =>
      ['', ',"data":null', ',"data":"null"', ',"data":"not JSON"', ',"data":[]'].map((data) =>
        samples.signed(`{"type":"${samples.kind}"${data}}`, {
          expected: 'not an error',
          label: data === '' ? 'absent' : data.slice(1),
        }),
      ),
  },
]

function toCase(id: string, what: string, bodies: readonly (string | Uint8Array)[]): SendingCase {
  return {
    id,
    level: 'should',
    title: `Correctly signed ${what}`,
    why: 'Whoever knows the client id can sign. The sender repeats what gets a 5xx, and an exception may end the process.',
    mend: 'Catch the errors of the parser, and respond with 400. A repetition will not be readable, either.',
    requests: (samples) =>
      bodies.map((body) =>
        samples.signed(body, {
          expected: 'not an error',
          label: typeof body === 'string' ? body || 'empty' : 'the byte 0xff',
        }),
      ),
  }
}

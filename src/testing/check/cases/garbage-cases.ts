import { Buffer } from 'node:buffer'
import type { Cases, Requests, SendingCase } from '../check-case.ts'
import { each } from '../samples.ts'

const signed = (title: string, requests: Requests): SendingCase => ({
  level: 'should',
  title,
  why: 'Whoever knows the client id can sign. The sender repeats what gets a 5xx, and an exception may end the process or leave a lock held.',
  mend: 'Catch the errors of the parser, and respond with 400. A repetition will not be readable, either.',
  expects: 'not an error',
  requests,
})

const ODD_JSON = ['7', 'null', '[]', '{}', '{"type":7,"data":[]}', '{"type":"__proto__","data":"{}"}']

/** Requests that are no notifications, although some are signed. */
export const GARBAGE_CASES: Cases<SendingCase> = {
  get: {
    level: 'should',
    title: 'A GET request',
    why: 'A URL that responds to a browser with 200 looks as if it had received something.',
    mend: 'Respond with 405 to methods other than POST.',
    requests: [{ method: 'GET', body: '', signatures: [] }],
  },
  'unsigned-empty': {
    level: 'should',
    title: 'An empty body without a signature',
    why: 'Some parsers skip an empty body, and with it what verifies in them.',
    mend: 'Reject every request without a signature, whatever its body is.',
    requests: [{ body: '', signatures: [] }],
  },
  'not-json': signed('Correctly signed text that is not JSON', {
    empty: { body: '' },
    'not JSON': { body: 'not JSON' },
    'cut off': { body: '{"type":"INBOUND_' },
  }),
  'not-utf-8': signed('Correctly signed bytes that are not UTF-8', [
    { body: Buffer.from('{"type":"\xff"}', 'latin1') },
  ]),
  'not-an-envelope': signed(
    'Correctly signed JSON that is no notification',
    each(ODD_JSON, (body) => ({ body })),
  ),
  'not-data': signed('Kinds whose data is absent, null, or no JSON', ({ kind }) => [
    { label: 'absent', body: `{"type":"${kind}"}` },
    ...each(['"data":null', '"data":"null"', '"data":"not JSON"', '"data":[]'], (data) => ({
      body: `{"type":"${kind}",${data}}`,
    })),
  ]),
}

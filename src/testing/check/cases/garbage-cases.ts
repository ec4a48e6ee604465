import { Buffer } from 'node:buffer'
import type { Cases, SendingCase } from '../check-case.ts'
import type { Samples } from '../samples.ts'

/** Requests that are no notifications, although some are signed. */
export const GARBAGE_CASES: Cases<SendingCase> = {
  get: {
    level: 'should',
    title: 'A GET request',
    why: 'A URL that responds to a browser with 200 looks as if it had received something.',
    mend: 'Respond with 405 to methods other than POST.',
    requests: () => [{ method: 'GET', body: '', signatures: [], expected: 'rejected' }],
  },
  'unsigned-empty': {
    level: 'should',
    title: 'An empty body without a signature',
    why: 'Some parsers skip an empty body, and with it what verifies in them.',
    mend: 'Reject every request without a signature, whatever its body is.',
    requests: () => [{ body: '', signatures: [], expected: 'rejected' }],
  },
  'not-json': signed('Correctly signed text that is not JSON', () => ({
    empty: '',
    'not JSON': 'not JSON',
    'cut off': '{"type":"INBOUND_',
  })),
  'not-utf-8': signed('Correctly signed bytes that are not UTF-8', () => ({
    'the byte 0xff': Buffer.from('{"type":"\xff"}', 'latin1'),
  })),
  'not-an-envelope': signed('Correctly signed JSON that is no notification', () => {
    const bodies = ['null', '[]', '7', '{}', '{"type":7,"data":[]}', '{"type":"__proto__","data":"{}"}']
    return Object.fromEntries(bodies.map((body) => [body, body]))
  }),
  'not-data': signed('Kinds whose data is absent, null, or no JSON', ({ kind }) => {
    const members = ['"data":null', '"data":"null"', '"data":"not JSON"', '"data":[]']
    const bodies = members.map((data) => [data, `{"type":"${kind}",${data}}`])
    return { absent: `{"type":"${kind}"}`, ...Object.fromEntries(bodies) }
  }),
}

function signed(
  title: string,
  toBodies: (samples: Samples) => Readonly<Record<string, string | Uint8Array>>,
): SendingCase {
  return {
    level: 'should',
    title,
    why: 'Whoever knows the client id can sign. The sender repeats what gets a 5xx, and an exception may end the process or leave a lock held.',
    mend: 'Catch the errors of the parser, and respond with 400. A repetition will not be readable, either.',
    requests: (samples) => samples.named(toBodies(samples), { expected: 'not an error' }),
  }
}

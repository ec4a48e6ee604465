import { expect, it } from 'vitest'
import { describeFailure, isFinal } from '../../src/inbox/failure.ts'
import { InboxError, NonRetriableError, parse, RetryAfterError } from '../../src/index.ts'

it('describes an error with its stack and causes', () => {
  const root = new RangeError('root')
  const described = describeFailure(new TypeError('failed', { cause: new Error('why', { cause: root }) }))
  expect(described.split('\n').filter((line) => !line.startsWith('    at '))).toEqual([
    'TypeError: failed',
    'Caused by: Error: why',
    'Caused by: RangeError: root',
  ])
  expect(described.match(/failure\.test\.ts/g)).toHaveLength(3)
})

it('describes the first error of several', () => {
  const several = new AggregateError([new Error('refused by ::1'), new Error('refused by 127.0.0.1')])
  expect(describeFailure(several)).toMatch(/^AggregateError.*\nCaused by: Error: refused by ::1\n/s)
})

it('bounds long errors, many causes and circles', () => {
  const error = new Error('x'.repeat(100_000), { cause: new Error('y'.repeat(100_000)) })
  expect(describeFailure(error)).toHaveLength(3_000 + '\nCaused by: '.length + 3_000)
  const circle = new Error('a')
  circle.cause = new Error('b', { cause: circle })
  expect(describeFailure(circle).match(/Caused by/g)).toHaveLength(4)
  error.cause = error
  expect(describeFailure(error)).toHaveLength(8_000)
})

it.each([
  ['text', 'text'],
  [null, 'null'],
  [undefined, 'undefined'],
  [Object.create(null), 'The handler threw a value that cannot be printed.'],
  [Proxy.revocable({}, {}), '[object Object]'],
  [Object.assign(new Error('set later'), { stack: 'Error: first' }), 'Error: set later'],
  [Object.assign(new Error('no stack'), { stack: undefined }), 'Error: no stack'],
  ['a\u0000b\ud800', 'ab\ufffd'],
])('describes a thrown %s', (thrown, description) => {
  expect(describeFailure(thrown)).toBe(description)
})

it('only a body that is not a notification, or a handler that says "never", makes a failure final', () => {
  const invalid = () => {
    try {
      return parse('{')
    } catch (error) {
      return error
    }
  }
  expect(isFinal(invalid())).toBe(true)
  expect(isFinal(new NonRetriableError('not ours'))).toBe(true)
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  const later = new RetryAfterError('no order yet', { afterMs: 1 })
  const named = Object.assign(new Error('x'), { name: 'PayloadError' })
  for (const other of [new InboxError('entry_active', 'x'), later, named, 'text', undefined, proxy])
    expect(isFinal(other)).toBe(false)
  expect(describeFailure(proxy)).toBe('The handler threw a value that cannot be printed.')
})

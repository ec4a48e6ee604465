import fc from 'fast-check'
import { expect, it, onTestFinished, vi } from 'vitest'
import { formatBody, formatData, formatJson } from '../../src/testing/format-body.ts'

it('formats any JSON without changing its values', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 1, 3), (value, space) => {
      expect(JSON.parse(formatJson(JSON.stringify(value, null, space)))).toEqual(
        JSON.parse(JSON.stringify(value)),
      )
    }),
  )
})

it('formats like JSON.stringify, and keeps every digit', () => {
  expect(formatJson('{"a":[1,{"b":[]}],"n":12345678901234567.890}')).toBe(
    `{\n  "a": [\n    1,\n    {\n      "b": []\n    }\n  ],\n  "n": 12345678901234567.890\n}`,
  )
})

it.each(['', 'text', '{"a":1', '[1,]', '{} {}', '['.repeat(100_000), '['.repeat(500) + ']'.repeat(500)])(
  'leaves what is not JSON or nests too deeply as it is',
  (text) => {
    expect(formatJson(text)).toBe(text)
    expect(formatBody(text)).toBe(text)
    expect(formatData(text)).toBeUndefined()
  },
)

it('builds no text that is mostly spaces', () => {
  const stringify = vi.spyOn(JSON, 'stringify')
  onTestFinished(() => stringify.mockRestore())
  const text = `${'['.repeat(500)}${'1,'.repeat(5_000)}1${']'.repeat(500)}`
  expect(formatJson(text) === text).toBe(true)
  expect(stringify).not.toHaveBeenCalled()
})

it('opens stringified data', () => {
  const body = '{"data":"{\\"id\\": 1.50}","type":"data"}'
  expect(formatBody(body)).toBe('{\n  "data": {\n    "id": 1.50\n  },\n  "type": "data"\n}')
  expect(formatData(body)).toBe('{\n  "id": 1.50\n}')
  expect(formatBody('{"data":"text"}')).toBe('{\n  "data": "text"\n}')
  expect(formatData('{"data":"text"}')).toBeUndefined()
})

it('finds inline data, and nothing of the same name deeper inside', () => {
  expect(formatData('{"x":{"data":1},"data":[2]}')).toBe('[\n  2\n]')
  for (const body of ['{"type":"data","x":[{"data":1}]}', '["data",1]', 'null'])
    expect(formatData(body)).toBeUndefined()
})

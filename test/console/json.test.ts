import fc from 'fast-check'
import { expect, it } from 'vitest'
import { findMistakes, formatBody, formatJson, openData } from '../../src/console/page/parts/json.ts'

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
  expect(formatJson('{"a":[1,{"b":[]},{}],"n":12345678901234567.890,"e":"\\u0041\\""}')).toBe(
    `{\n  "a": [\n    1,\n    {\n      "b": []\n    },\n    {}\n  ],\n  "n": 12345678901234567.890,\n  "e": "\\u0041\\""\n}`,
  )
})

it.each(['', 'text', '{"a":1', '[1,]', '{} {}'])('leaves %j as it is', (text) => {
  expect(formatJson(text)).toBe(text)
})

it('opens stringified data, and puts changed data back as a string', () => {
  const body = '{"data":"{\\"id\\": 1}","type":"data"}'
  expect(formatBody(body)).toBe('{\n  "data": {\n    "id": 1\n  },\n  "type": "data"\n}')
  expect(openData(body)?.text).toBe('{"id": 1}')
  expect(openData(body)?.replace('{ "id": 2 }')).toBe('{"data":"{\\"id\\":2}","type":"data"}')
})

it('replaces inline data, and nothing of the same name deeper inside', () => {
  const body = '{"x":{"data":1},"data":{"data":[2]} , "y":3}'
  expect(openData(body)?.text).toBe('{"data":[2]}')
  expect(openData(body)?.replace('4')).toBe('{"x":{"data":1},"data":4 , "y":3}')
  expect(openData('{"type":"data","x":[{"data":1}]}')).toBeUndefined()
  expect(openData('["data",1]')).toBeUndefined()
})

it('says where the mistakes are', () => {
  expect(findMistakes('{\n  "a": x y,\r\n  "b": 1,\n}')).toEqual([
    { line: 2, column: 8, offset: 9, length: 1, message: 'Invalid symbol' },
    { line: 4, column: 1, offset: 25, length: 1, message: 'Property name expected' },
  ])
  expect(findMistakes('['.repeat(20_000))).toHaveLength(1)
})

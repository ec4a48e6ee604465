import { runInThisContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { parseJson, parseJsonValue } from '../../src/json/parse-json.ts'

// For a long run: ESCAPED_KEY_DOCUMENTS=200000 npx vitest run test/json/parse-json-value.test.ts
const DOCUMENTS = Number(process.env.ESCAPED_KEY_DOCUMENTS ?? 2000)

const LOSSY = '12345678901234567890'

/** Ways to write a character in a JSON string. Few characters, so that many keys are similar. */
const escapes = '\\\\ \\" \\/ \\n \\b \\u0061 \\u006D \\u0030 \\u005c \\u0022 \\u000a \\u00e9 \\ud83d \\ude00'
const written = fc.constantFrom('a', 'm', 'o', 'u', '0', '1', 'é', '\u2028', '😀', ...escapes.split(' '))
const string = fc.array(written, { maxLength: 5 }).map((characters) => `"${characters.join('')}"`)
const space = fc.constantFrom('', '', ' ', '\n\t')
const { value } = fc.letrec<Record<'document' | 'member' | 'value', string>>((tie) => ({
  document: fc.array(tie('member'), { maxLength: 4 }).map((members) => `{${members.join(',')}}`),
  member: fc.tuple(space, string, space, space, tie('value'), space).map(([before, key, after, ...value]) => {
    return `${before}${key}${after}:${value.join('')}`
  }),
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('0', '-1.5', 'true', 'null', '[]', LOSSY, '",\\"a\\\\"'),
    string,
    tie('document'),
    fc.array(tie('value'), { maxLength: 3 }).map((values) => `[ ${values.join(', ')}]`),
  ),
}))

/** The value of JSON text according to another reader: JavaScript's own parser. */
const evaluate = (text: string) => runInThisContext(`(${text})`)

/** Numbers a new first key, so that V8 has not met the one after it. */
let documents = 0

describe('parseJsonValue', () => {
  it('reads a key right after a key that V8 confuses it with', () => {
    expect(parseJsonValue('{"h":[],"amo\\\\u0":0}')).toEqual({ h: [], 'amo\\u0': 0 })
    expect(parseJsonValue('{"h":1,"amo\\u0075nt":2}')).toEqual({ h: 1, amount: 2 })
    expect(parseJsonValue('{"h":[],"\\\\":0}')).toEqual({ h: [], '\\': 0 })
    expect(parseJsonValue('{"h":1,"\\"":2}')).toEqual({ h: 1, '"': 2 })
  })

  it.each([
    '[{"NAME":1,"amo\\u0075nt":2}]',
    '[[0,{"NAME":1,"amo\\u0075nt":2}]]',
    '{"a":[null,{"NAME":1,"amo\\u0075nt":2}]}',
    '{"a":{"b":{"NAME":1,"amo\\u0075nt":2}}}',
  ])('reads such a key inside %s', (pattern) => {
    const name = `${documents++}th`
    parseJsonValue(`{"${name}":[],"amo\\\\u0":0}`)
    const text = pattern.replace('NAME', name)
    expect(parseJsonValue(text)).toEqual(evaluate(text))
  })

  it(`reads ${DOCUMENTS} documents like JavaScript's own parser, whatever V8 has read before`, {
    timeout: 600_000,
  }, () => {
    fc.assert(
      fc.property(string, value, (key, value) => {
        const first = `"${documents++}th"`
        // For a new first key, V8 compares as many source characters as the key has.
        const mistakable = key.slice(1, 1 + evaluate(key).length)
        JSON.parse(`{${first}:[],${JSON.stringify(mistakable)}:0}`)
        const text = `{${first}:1,${key}:${value}}`
        const { lossy, exact } = parseJson(text)
        expect(JSON.stringify(lossy)).toBe(JSON.stringify(evaluate(text)))
        expect(JSON.stringify(exact)).toBe(JSON.stringify(evaluate(text.replaceAll(LOSSY, `"${LOSSY}"`))))
      }),
      { numRuns: DOCUMENTS },
    )
  })

  it.each([
    '{"\\\\":1,"__proto__":{"polluted":true},"\\u005f_proto__":[1]}',
    '{"a\\\\":1,"a\\u005c":2,"b":{},"c":[[],{}]}',
    ' {"\\\\" : [ true , false,null ,-0.5e-3, "\\\\", "]}" ] } ',
    '{"2":"\\\\","1\\\\":0,"1":0}',
  ])('reads %s', (text) => {
    const read = parseJsonValue(text)
    expect(Object.entries(read as object)).toEqual(Object.entries(JSON.parse(text)))
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
  })

  it('does not read members that all objects inherit: an object among them would never end', () => {
    const get = vi.fn()
    Object.defineProperty(Object.prototype, 'inherited', { get, enumerable: true, configurable: true })
    const read = parseJsonValue('{"a":"\\\\"}')
    Reflect.deleteProperty(Object.prototype, 'inherited')
    expect(read).toEqual({ a: '\\' })
    expect(get).not.toHaveBeenCalled()
  })

  it.each(['', '{"\\\\":1', '{"\\\\":1}}', '{"\\x":1}', '{"\\u00":1}', '["\\\\",]'])('rejects %s', (text) => {
    expect(() => parseJsonValue(text)).toThrow(SyntaxError)
  })

  it('does not overflow the stack', () => {
    const depth = 50_000
    const deep = '{"\\\\":['.repeat(depth)
    let value = parseJsonValue(`${deep}"${'\\\\'.repeat(depth)}"${']}'.repeat(depth)}`)
    for (let level = 0; level < depth; level++) value = (value as never)['\\'][0]
    expect(value).toBe('\\'.repeat(depth))
  })
})

import { expect, it } from 'vitest'
import {
  type Checks,
  callback,
  checkOptions,
  delayMs,
  flag,
  integer,
  oneOf,
  optional,
  size,
  text,
} from '../src/option-checks.ts'

interface Options {
  readonly name: string
  readonly count?: number
  readonly waitMs?: number
  readonly maxBytes?: number
  readonly quiet?: boolean
  readonly mode?: 'fast' | 'slow'
  readonly file?: string
  readonly now?: () => number
}

const OPTIONS = {
  name: text(),
  count: integer(0, 10, 2),
  waitMs: delayMs(1, 500),
  maxBytes: size(1024),
  quiet: flag(false),
  mode: oneOf(['fast', 'slow'], 'fast'),
  file: optional(text()),
  now: callback(Date.now),
} satisfies Checks<Options>

const check = (options: unknown) => checkOptions('createThing', options, OPTIONS)

it('fills in the defaults', () => {
  expect(check({ name: 'x', count: undefined })).toEqual({
    name: 'x',
    count: 2,
    waitMs: 500,
    maxBytes: 1024,
    quiet: false,
    mode: 'fast',
    file: undefined,
    now: Date.now,
  })
})

it('returns what was given', () => {
  const given = {
    name: 'x\ny',
    count: 0,
    waitMs: 2 ** 31 - 1,
    maxBytes: 1,
    quiet: true,
    mode: 'slow',
    file: 'f',
    now: () => 5,
  }
  expect(check(Object.freeze(given))).toEqual(given)
})

it.each<[unknown, string]>([
  [undefined, 'createThing(options): options must be an object'],
  [null, 'createThing(options): options must be an object'],
  [[], 'createThing(options): options must be an object'],
  ['x', 'createThing(options): options must be an object'],
  [
    { name: 'x', size: 5 },
    '"size" is not an option; the options are name, count, waitMs, maxBytes, quiet, mode, file, now',
  ],
  [{}, '"name" option must be a non-empty string, but it is undefined. Is the environment variable set?'],
  [
    { name: undefined },
    '"name" option must be a non-empty string, but it is undefined. Is the environment variable set?',
  ],
  [{ name: '' }, '"name" option must be a non-empty string'],
  [{ name: null }, '"name" option must be a non-empty string'],
  [{ name: 'x', count: 11 }, '"count" option must be an integer from 0 to 10'],
  [{ name: 'x', count: -1 }, '"count" option must be an integer from 0 to 10'],
  [{ name: 'x', count: '5' }, '"count" option must be an integer from 0 to 10'],
  [{ name: 'x', count: null }, '"count" option must be an integer from 0 to 10'],
  [{ name: 'x', count: Number.NaN }, '"count" option must be an integer from 0 to 10'],
  [{ name: 'x', waitMs: 2 ** 31 }, '"waitMs" option must be an integer from 1 to 2147483647'],
  [{ name: 'x', maxBytes: 0.5 }, '"maxBytes" option must be a positive integer'],
  [{ name: 'x', quiet: 'no' }, '"quiet" option must be a boolean'],
  [{ name: 'x', mode: 'Fast' }, `"mode" option must be 'fast' or 'slow'`],
  [{ name: 'x', file: '' }, '"file" option must be a non-empty string'],
  [{ name: 'x', now: 5 }, '"now" option must be a function'],
])('rejects %o', (options, message) => {
  expect(() => check(options)).toThrow(new TypeError(message))
})

import { type Argument, InvalidArgumentError, Option } from 'commander'
import { MAX_DELAY_MS } from '../option-checks.ts'
import { suggest } from './warn-unknown.ts'

function toInteger(text: string, min: number, max: number): number {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (number >= min && number <= max) return number
  throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
}

export const toCount = (text: string): number => toInteger(text, 1, 1_000_000)

export const toPort = (text: string): number => toInteger(text, 0, 65_535)

const UNITS_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const TIMES = 'such as 500ms, 30s, 5m, 12h or 7d'
const TIMES_AND_DATES = `${TIMES}, or a date such as 2026-11-28T14:00Z`

function toMilliseconds(text: string, values = TIMES): number {
  const [, number, unit] = /^(\d{1,8})(ms|s|m|h|d)$/.exec(text) ?? []
  if (unit === undefined) throw new InvalidArgumentError(`It must be a time with a unit, ${values}.`)
  return Number(number) * (UNITS_MS[unit] as number)
}

export function toPerSecond(text: string): number {
  const [, number, unit] = /^(\d{1,9})\/(s|m|h|d)$/.exec(text) ?? []
  const perSecond = (Number(number) * 1_000) / (UNITS_MS[unit ?? ''] ?? Number.NaN)
  if (perSecond >= 0.001 && perSecond <= 10_000) return perSecond
  throw new InvalidArgumentError('It must be a rate from 4/h to 10000/s, such as 50/s or 100/m.')
}

/** A time in whole seconds, for what the service states in seconds. */
export function toSeconds(text: string): number {
  return Math.ceil(toMilliseconds(text) / 1_000)
}

/** A time to wait, at most the longest that a timer can. */
function toDelay(text: string): number {
  const delayMs = toMilliseconds(text)
  if (delayMs <= MAX_DELAY_MS) return delayMs
  throw new InvalidArgumentError('It must be at most 24 days.')
}

/** An option that takes a time, in milliseconds. Its help has the units, and the default as it is typed. */
export function timeOption(
  flags: string,
  description: string,
  initially?: string,
  parse: (text: string) => unknown = toDelay,
  values = TIMES,
): Option {
  const option = new Option(flags, `${description}, ${values}`).argParser(parse)
  return initially === undefined ? option : option.default(parse(initially), initially)
}

/** An option that takes a date, or an age, and becomes the date that is so long ago. */
export function agoOption(flags: string, description: string, initially?: string): Option {
  return timeOption(flags, description, initially, toDate, TIMES_AND_DATES)
}

function toDate(text: string): Date {
  const date = new Date(/^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : Number.NaN)
  return Number.isNaN(Number(date)) ? new Date(Date.now() - toMilliseconds(text, TIMES_AND_DATES)) : date
}

export function choiceOption(flags: string, description: string, choices: readonly string[]): Option {
  return withChoices(new Option(flags, description), choices)
}

/** Restricts an option or an argument to choices. The error about another word names the nearest one. */
export function withChoices<Value extends Option | Argument>(
  value: Value,
  choices: readonly string[],
): Value {
  const { parseArg } = value.choices(choices)
  value.argParser((text: string, previous: unknown) => {
    if (choices.includes(text)) return parseArg?.(text, previous)
    throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.${suggest(text, choices)}`)
  })
  return value
}

export function toUrl(text: string): URL {
  if (/^https?:/.test(text) && URL.canParse(text)) return new URL(text)
  throw new InvalidArgumentError('It must be a URL that starts with http: or https:.')
}

/** Checks a value, and keeps it as it was typed. */
export function asTyped(check: (text: string) => unknown): (text: string) => string {
  return (text) => {
    check(text)
    return text
  }
}

import { InvalidArgumentError, Option } from 'commander'

/** A whole number from 0. */
export function toInteger(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

/** A whole number from 1. */
export function toCount(text: string): number {
  const count = toInteger(text)
  if (count === 0) throw new InvalidArgumentError('It must be at least 1.')
  return count
}

export function toPort(text: string): number {
  const port = toInteger(text)
  if (port > 65_535) throw new InvalidArgumentError('It must be a port, from 0 to 65535.')
  return port
}

const UNITS_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A time such as `500ms`, `30s`, `12h` or `7d`, in milliseconds; without a unit, seconds. */
export function toMilliseconds(text: string): number {
  const [, number, unit = 's'] = /^(\d{1,9})(ms|s|m|h|d)?$/.exec(text) ?? []
  if (number === undefined) throw new InvalidArgumentError('It must be a time such as 500ms, 30s, 12h or 7d.')
  return Number(number) * (UNITS_MS[unit] as number)
}

/** An option that takes a time; its help prints the default as it is typed. */
export function timeOption(flags: string, description: string, initially: string): Option {
  return new Option(flags, description)
    .argParser(toMilliseconds)
    .default(toMilliseconds(initially), initially)
}

export function toUrl(text: string): URL {
  if (/^https?:/.test(text) && URL.canParse(text)) return new URL(text)
  throw new InvalidArgumentError('It must be a URL that starts with http: or https:.')
}

/** Checks a URL and keeps it as it was typed. */
export function checkUrl(text: string): string {
  toUrl(text)
  return text
}

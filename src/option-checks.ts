/** @throws TypeError if the options are not an object, or one of them is unknown */
export function assertOptions(options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new TypeError('options must be an object')
  }
  for (const key of Object.keys(options)) {
    if (!known.includes(key)) throw new TypeError(`"${key}" is not an option; there are ${known.join(', ')}`)
  }
}

/** A positive integer, or the default. */
export function positiveInteger(name: string, value: unknown, fallback: number): number {
  if (value === undefined) return fallback
  if (Number.isSafeInteger(value) && (value as number) > 0) return value as number
  throw new TypeError(`"${name}" option must be a positive integer`)
}

// The longest delay of setTimeout; it fires at once for a longer one.
const MAX_DELAY_MS = 2 ** 31 - 1

/** A time in milliseconds, at most 24.8 days, or the default. */
export function milliseconds(name: string, value: unknown, fallback: number): number {
  const checked = positiveInteger(name, value, fallback)
  if (checked > MAX_DELAY_MS)
    throw new TypeError(`"${name}" option must be at most ${MAX_DELAY_MS} milliseconds`)
  return checked
}

/** A required string that is not empty. */
export function filledText(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  throw new TypeError(`"${name}" option must be a non-empty string`)
}

export function booleanOption(name: string, value: unknown, fallback: boolean): boolean {
  if (value === undefined) return fallback
  if (typeof value !== 'boolean') throw new TypeError(`"${name}" option must be a boolean`)
  return value
}

export function functionOption<Fn>(name: string, value: Fn | undefined, fallback: Fn): Fn {
  if (value === undefined) return fallback
  if (typeof value !== 'function') throw new TypeError(`"${name}" option must be a function`)
  return value
}

/** An integer from `min` to `max`, or the default. */
export function withinRange(
  name: string,
  value: unknown,
  fallback: number,
  min: number,
  max: number,
): number {
  if (value === undefined) return fallback
  if (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max)
    return value as number
  throw new TypeError(`"${name}" option must be an integer from ${min} to ${max}`)
}

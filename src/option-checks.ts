/** @throws TypeError unless the options are an object with no other keys than these */
export function assertOptions(options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new TypeError('options must be an object')
  }
  for (const key of Object.keys(options)) {
    if (!known.includes(key)) throw new TypeError(`"${key}" is not an option; there are ${known.join(', ')}`)
  }
}

/** The value of an option that counts something, or its default; `NaN` and fractions are no limits. */
export function positiveInteger(name: string, value: unknown, fallback: number): number {
  if (value === undefined) return fallback
  if (Number.isSafeInteger(value) && (value as number) > 0) return value as number
  throw new TypeError(`"${name}" option must be a positive integer`)
}

// The longest delay that setTimeout takes; it runs longer ones at once.
const MAX_DELAY_MS = 2 ** 31 - 1

/** The value of an option in milliseconds, at most 24.8 days, or its default. */
export function milliseconds(name: string, value: unknown, fallback: number): number {
  const checked = positiveInteger(name, value, fallback)
  if (checked > MAX_DELAY_MS)
    throw new TypeError(`"${name}" option must be at most ${MAX_DELAY_MS} milliseconds`)
  return checked
}

/** The value of an option that is a text and has no default. */
export function filledText(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  throw new TypeError(`"${name}" option must be a non-empty string`)
}

/** The value of an option that is true or false, or its default. */
export function booleanOption(name: string, value: unknown, fallback: boolean): boolean {
  if (value === undefined) return fallback
  if (typeof value !== 'boolean') throw new TypeError(`"${name}" option must be a boolean`)
  return value
}

/** The value of an option that is a function, or its default. */
export function functionOption<Fn>(name: string, value: Fn | undefined, fallback: Fn): Fn {
  if (value === undefined) return fallback
  if (typeof value !== 'function') throw new TypeError(`"${name}" option must be a function`)
  return value
}

/** The value of an option that is an integer in a range, or its default. */
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

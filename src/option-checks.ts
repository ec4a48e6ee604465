/** Checks the value of an option. Returns it, or the default if it is `undefined`. */
export type Check<Value> = (name: string, value: unknown) => Value

/** A check for each option: a table must not forget one. */
export type Checks<Options> = { readonly [Name in keyof Options]-?: Check<Options[Name]> }

/** The options that a table has checked, with their defaults. */
export type Checked<Table extends Readonly<Record<string, Check<unknown>>>> = {
  readonly [Name in keyof Table]: ReturnType<Table[Name]>
}

/** @throws TypeError if the options are not an object, or one is unknown, missing or invalid */
export function checkOptions<Table extends Readonly<Record<string, Check<unknown>>>>(
  call: string,
  options: unknown,
  table: Table,
): Checked<Table> {
  assertOptions(options, Object.keys(table), call)
  const given = options as Readonly<Record<string, unknown>>
  const checked = Object.entries(table).map(([name, check]) => [name, check(name, given[name])])
  return Object.fromEntries(checked) as Checked<Table>
}

export function assertOptions(options: unknown, known: readonly string[], call = ''): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new TypeError(`${call === '' ? '' : `${call}(options): `}options must be an object`)
  for (const key of Object.keys(options)) {
    if (!known.includes(key))
      throw new TypeError(`"${key}" is not an option; the options are ${known.join(', ')}`)
  }
}

/** An invalid option. The command line calls it by another name. */
export class OptionError extends TypeError {
  readonly #option: string
  readonly #requirement: string

  /** @param hint for programs, not for the command line */
  constructor(option: string, requirement: string, hint = '') {
    super(`"${option}" option must be ${requirement}${hint}`)
    this.#option = option
    this.#requirement = requirement
  }

  get option(): string {
    return this.#option
  }

  get requirement(): string {
    return this.#requirement
  }
}

/** The error for an invalid option. A missing one is often an environment variable that is not set. */
export function invalidOption(name: string, requirement: string, value: unknown): TypeError {
  return new OptionError(name, requirement, hintAt(requirement, value))
}

/** The same for another argument. */
export function invalid(what: string, requirement: string, value: unknown): TypeError {
  return new TypeError(`${what} must be ${requirement}${hintAt(requirement, value)}`)
}

function hintAt(requirement: string, value: unknown): string {
  if (value !== undefined) return ''
  const isFromEnvironment = !/^an? (?:function|inbox)/.test(requirement)
  return `, but it is undefined${isFromEnvironment ? '. Is the environment variable set?' : ''}`
}

/** A check by a predicate. An option without a default is required. */
export function option<Value>(
  requirement: string,
  accepts: (value: unknown) => boolean,
  fallback?: Value,
): Check<Value> {
  return (name, value = fallback) => {
    if (accepts(value)) return value as Value
    throw invalidOption(name, requirement, value)
  }
}

export function hasMethods(...names: readonly string[]): (value: unknown) => boolean {
  return (value) => names.every((name) => typeof Object(value)[name] === 'function')
}

export function optional<Value>(check: Check<Value>): Check<Value | undefined> {
  return (name, value) => (value === undefined ? undefined : check(name, value))
}

/** No check, for what is checked where it is used. */
export function anything<Value>(): Check<Value> {
  return (_name, value) => value as Value
}

export function integer(min: number, max: number, fallback?: number): Check<number> {
  const requirement = max === Infinity ? 'a positive integer' : `an integer from ${min} to ${max}`
  return option(
    requirement,
    (value) => Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max,
    fallback,
  )
}

/** The longest delay of `setTimeout`, 24.8 days. It fires at once for a longer one. */
export const MAX_DELAY_MS = 2 ** 31 - 1

export function delayMs(min: number, fallback?: number): Check<number> {
  return integer(min, MAX_DELAY_MS, fallback)
}

export function size(fallback?: number): Check<number> {
  return integer(1, Infinity, fallback)
}

/** A string that is not empty, and matches a pattern. */
export function text(fallback?: string, pattern = /./s, requirement = 'a non-empty string'): Check<string> {
  return option(requirement, (value) => typeof value === 'string' && pattern.test(value), fallback)
}

export function flag(fallback: boolean): Check<boolean> {
  return option('a boolean', (value) => typeof value === 'boolean', fallback)
}

export function date(requirement = 'a valid Date'): Check<Date> {
  return option<Date>(requirement, (value) => value instanceof Date && !Number.isNaN(value.getTime()))
}

export function callback<Fn>(fallback?: Fn): Check<Fn> {
  return option('a function', (value) => typeof value === 'function', fallback)
}

export function oneOf<const Value extends string>(values: readonly Value[], fallback?: Value): Check<Value> {
  return option(
    values.map((one) => `'${one}'`).join(' or '),
    (value) => values.includes(value as Value),
    fallback,
  )
}

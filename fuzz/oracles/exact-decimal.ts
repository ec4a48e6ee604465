/** A decimal number as integers: `digits * 10 ** exponent`. Equal numbers have equal fields. */
interface ExactDecimal {
  readonly digits: bigint
  readonly exponent: bigint
}

/** Whether it is a number in JSON notation; leading zeros are tolerated. */
export function isDecimal(source: string): boolean {
  return /^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$/.test(source) && !source.endsWith('\n')
}

/** Reads a number in JSON notation without rounding. */
function readDecimal(source: string): ExactDecimal {
  const [mantissa = '', power = '0'] = source.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const written = whole + fraction
  // A loop, since a pattern would try every zero as a beginning.
  let end = written.length
  while (written[end - 1] === '0') end--
  const digits = end > 0 && written.slice(0, end) !== '-' ? BigInt(written.slice(0, end)) : 0n
  if (digits === 0n) return { digits, exponent: 0n }
  return { digits, exponent: BigInt(power) - BigInt(fraction.length) + BigInt(written.length - end) }
}

export function isSameDecimal(a: string, b: string): boolean {
  const [left, right] = [readDecimal(a), readDecimal(b)]
  return left.digits === right.digits && left.exponent === right.exponent
}

/** Whether a double holds the number, and prints it with the same value. */
export function fitsDouble(source: string): boolean {
  const double = Number(source)
  return Number.isFinite(double) && isSameDecimal(source, String(double))
}

export function isInteger(source: string): boolean {
  return readDecimal(source).exponent >= 0n
}

const MAX_WRITTEN = 5_000n

/** The number without an exponent or redundant zeros; `undefined` if it has thousands of digits. */
export function toPlain(source: string): string | undefined {
  const { digits, exponent } = readDecimal(source)
  if (exponent > MAX_WRITTEN || exponent < -MAX_WRITTEN) return undefined
  if (exponent >= 0n) return String(digits * 10n ** exponent)
  const text = String(digits < 0n ? -digits : digits).padStart(Number(-exponent) + 1, '0')
  return `${digits < 0n ? '-' : ''}${text.slice(0, Number(exponent))}.${text.slice(Number(exponent))}`
}

export function compareExact(a: string, b: string): -1 | 0 | 1 {
  const [left, right] = [readDecimal(a), readDecimal(b)]
  const [leftSign, rightSign] = [signOf(left.digits), signOf(right.digits)]
  if (leftSign !== rightSign) return leftSign < rightSign ? -1 : 1
  const sizes = sizeOf(left) - sizeOf(right)
  if (leftSign !== 0 && sizes !== 0n) return sizes < 0n === leftSign > 0 ? -1 : 1
  // Numbers of the same size have exponents that differ by no more than their digits.
  const shift = left.exponent - right.exponent
  return signOf(
    shift >= 0n ? left.digits * 10n ** shift - right.digits : left.digits - right.digits * 10n ** -shift,
  )
}

/** How many digits it has before the point. */
function sizeOf({ digits, exponent }: ExactDecimal): bigint {
  return BigInt(String(digits).replace('-', '').length) + exponent
}

function signOf(value: bigint): -1 | 0 | 1 {
  return value < 0n ? -1 : value > 0n ? 1 : 0
}

/** The maximum number of digits in plain notation. Without it, a short exponent could take gigabytes. */
export const MAX_PLAIN_DIGITS = 1000

/** A number in JSON notation: its sign, its significant digits and the power of ten of the last digit. */
interface Decimal {
  readonly negative: boolean
  /** Without leading or trailing zeros; empty for zero. */
  readonly digits: string
  readonly exponent: number
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

function toDecimal(source: string): Decimal | undefined {
  const match = NUMBER.exec(source)
  if (match === null) return undefined
  const fraction = match[3] ?? ''
  const all = `${match[2]}${fraction}`
  // Loops, since a pattern for the zeros at the end would try every zero as a beginning.
  let [start, end] = [0, all.length - 1]
  while (all[start] === '0') start++
  while (all[end] === '0') end--
  if (start > end) return { negative: false, digits: '', exponent: 0 }
  const exponent = Number(match[4] ?? 0) - fraction.length + (all.length - 1 - end)
  // Beyond that, two exponents may differ and be the same double.
  if (!Number.isSafeInteger(exponent)) return undefined
  return { negative: match[1] === '-', digits: all.slice(start, end + 1), exponent }
}

/**
 * Writes a number in plain notation: without an exponent or redundant zeros, and with all its digits.
 *
 * @param source a number in JSON notation; leading zeros are tolerated
 * @returns `undefined` if it is not a number, or needs more than {@link MAX_PLAIN_DIGITS} digits
 * @example
 * toPlainDecimal('1.250e3') // '1250'
 */
export function toPlainDecimal(source: string): string | undefined {
  const decimal = toDecimal(source)
  if (decimal === undefined) return undefined
  const { negative, digits, exponent } = decimal
  if (digits === '') return '0'
  const sign = negative ? '-' : ''
  const integerDigits = digits.length + exponent
  // Checked before any text is built, so that a huge exponent costs neither time nor memory.
  const written = exponent >= 0 ? integerDigits : Math.max(integerDigits, 1) - exponent
  if (written > MAX_PLAIN_DIGITS) return undefined
  if (exponent >= 0) return `${sign}${digits}${'0'.repeat(exponent)}`
  if (integerDigits > 0) return `${sign}${digits.slice(0, integerDigits)}.${digits.slice(integerDigits)}`
  return `${sign}0.${'0'.repeat(-integerDigits)}${digits}`
}

/** Whether a text is a number in JSON notation; leading zeros are tolerated. */
export function isNumber(text: string): boolean {
  return NUMBER.test(text)
}

/** Whether a number keeps its value if it is parsed with `JSON.parse` and printed. */
export function survivesDouble(source: string): boolean {
  const printed = String(Number(source))
  if (printed === source) return true
  const before = toDecimal(source)
  const after = toDecimal(printed)
  return before !== undefined && after !== undefined && compareMagnitudes(before, after) === 0
}

/**
 * Compares two decimal strings by value, without losing a digit.
 *
 * @returns -1 if `a` is less than `b`, 0 if they are equal, 1 if it is greater
 * @throws TypeError if one of them is not a decimal number, or its exponent is not a safe integer
 * @example
 * compareDecimals('900', '1000') // -1
 */
export function compareDecimals(a: string, b: string): -1 | 0 | 1 {
  const left = toDecimal(String(a))
  const right = toDecimal(String(b))
  if (left === undefined || right === undefined)
    throw new TypeError('compareDecimals(a, b): both must be decimal numbers, such as "12.50"')
  if (left.negative !== right.negative) return left.negative ? -1 : 1
  return left.negative ? compareMagnitudes(right, left) : compareMagnitudes(left, right)
}

function compareMagnitudes(left: Decimal, right: Decimal): -1 | 0 | 1 {
  const leftDigits = left.digits.length + left.exponent
  const rightDigits = right.digits.length + right.exponent
  if (left.digits !== '' && right.digits !== '' && leftDigits !== rightDigits)
    return leftDigits < rightDigits ? -1 : 1
  if (left.digits === right.digits) return 0
  return left.digits < right.digits ? -1 : 1
}

import { toPlainDecimal } from '../json/decimal.ts'
import type { Amount } from './amount.ts'

/**
 * An amount in the smallest unit of its currency, such as cents. `Intl` says how many decimal places a currency
 * has.
 *
 * @throws TypeError if the number is not a decimal
 * @throws RangeError if the currency is unknown, or has fewer decimal places than the number
 * @example
 * toMinorUnits({ number: '1250.75', currency: 'USD' }) // 125075n
 */
export function toMinorUnits({ number, currency }: Amount): bigint {
  const plain = toPlainDecimal(String(number))
  if (plain === undefined)
    throw new TypeError('toMinorUnits(amount): "number" must be a decimal number, such as "12.50"')
  const places = decimalPlaces(currency)
  const [whole = '', fraction = ''] = plain.split('.')
  if (fraction.length > places)
    throw new RangeError(
      `toMinorUnits(amount): ${plain} has more than the ${places} decimal places of ${currency}`,
    )
  return BigInt(whole + fraction.padEnd(places, '0'))
}

function decimalPlaces(currency: string): number {
  if (!Intl.supportedValuesOf('currency').includes(currency))
    throw new RangeError(
      `toMinorUnits(amount): "currency" must be a currency code that Intl knows, such as USD`,
    )
  const format = new Intl.NumberFormat('en', { style: 'currency', currency })
  return format.resolvedOptions().maximumFractionDigits ?? 0
}

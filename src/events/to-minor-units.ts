import { toPlainDecimal } from '../json/decimal.ts'
import type { Amount } from './amount.ts'

/**
 * An amount in the smallest unit of its currency, such as cents, by the decimal places of ISO 4217.
 *
 * @throws TypeError if the number is not a decimal
 * @throws RangeError if ISO 4217 has no decimal places for the currency, or fewer than the number has
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

/**
 * The currencies of ISO 4217 by their decimal places, as of 2026-01-01, and BGN, which was withdrawn on that
 * day. `Intl` has other numbers: those that are usual on a price tag, which differ between runtimes.
 */
const CURRENCIES = [
  'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  '',
  'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW ' +
    'CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF ' +
    'IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK ' +
    'MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP ' +
    'SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG ' +
    'YER ZAR ZMW ZWG',
  'BHD IQD JOD KWD LYD OMR TND',
  'CLF UYW',
] as const

function decimalPlaces(currency: string): number {
  const places = /^[A-Z]{3}$/.test(currency) ? CURRENCIES.findIndex((codes) => codes.includes(currency)) : -1
  if (places === -1)
    throw new RangeError(
      'toMinorUnits(amount): "currency" must be a currency code of ISO 4217 that has decimal places, such as USD',
    )
  return places
}

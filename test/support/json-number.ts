import fc from 'fast-check'

/** Any number in JSON notation, of up to 25 digits on each side of the point and an exponent up to this. */
export function jsonNumber(maxExponent: number): fc.Arbitrary<string> {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 25 })
  const sign = fc.constantFrom('', '-')
  const exponent = fc.tuple(fc.constantFrom('', '+', '-'), fc.nat(maxExponent)).map((parts) => parts.join(''))
  return fc.tuple(sign, digits, fc.option(digits), fc.option(exponent)).map(([minus, whole, part, power]) => {
    const fraction = part === null ? '' : `.${part}`
    return minus + whole.replace(/^0+(?=\d)/, '') + fraction + (power === null ? '' : `e${power}`)
  })
}

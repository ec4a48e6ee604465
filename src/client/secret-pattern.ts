/**
 * Finds a secret in a text, however JSON, a URL or HTML writes its characters: `+` is also `\u002B`, `%2b` and `&#43;`. Those of
 * a word are the same everywhere.
 */
export function toSecretPattern(secret: string): RegExp {
  const source = secret.includes('\\') ? wholeSpellings(secret) : [...secret].map(toCharacterPattern).join('')
  return new RegExp(source, 'g')
}

/**
 * The spellings of a secret that holds a backslash. Character by character, a run of them could be read in as many ways as
 * there are subsets of it, and a text that almost matches would take as many steps.
 */
function wholeSpellings(secret: string): string {
  const inJson = JSON.stringify(secret).slice(1, -1)
  const inUrls = [
    encodeURIComponent(secret.toWellFormed()),
    String(new URLSearchParams({ '': secret })).slice(1),
  ]
  const inLowerCase = inUrls.map((url) => url.replace(/%../g, (code) => code.toLowerCase()))
  return [JSON.stringify(inJson).slice(1, -1), inJson, ...inUrls, ...inLowerCase, secret]
    .map((spelling) => spelling.split('').map(toUnitPattern).join(''))
    .join('|')
}

function toUnitPattern(unit: string): string {
  return `\\u${hex(unit.charCodeAt(0)).padStart(4, '0')}`
}

/** The most characters that a secret may take in a text. */
export function longestSpelling(secret: string): number {
  return [...secret].reduce((sum, character) => sum + (WORD.test(character) ? 1 : LONGEST_ESCAPE), 0)
}

const WORD = /^\w$/
// A character beyond the first plane, as JSON or a URL writes it.
const LONGEST_ESCAPE = 12

const ENTITIES: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
}

function toCharacterPattern(character: string): string {
  if (WORD.test(character)) return character
  const code = character.codePointAt(0) ?? 0
  const units = Array.from({ length: character.length }, (_, at) =>
    hex(character.charCodeAt(at)).padStart(4, '0'),
  )
  const itself = units.map((unit) => `\\u${unit}`).join('')
  const spellings = [
    itself,
    // Within JSON: any character as its number, and some behind a backslash.
    units.map((unit) => `\\\\u${anyCase(unit)}`).join(''),
    `\\\\${itself}`,
    ...(character === ' ' ? ['\\+'] : []),
    ...(character.isWellFormed() ? [anyCase(percentEncoded(character))] : []),
    `&#0*${code};`,
    `&#[xX]0*${anyCase(hex(code))};`,
    ...(character in ENTITIES ? [`&${ENTITIES[character]};`] : []),
  ]
  return `(?:${spellings.join('|')})`
}

function percentEncoded(character: string): string {
  return [...new TextEncoder().encode(character)].map((byte) => `%${hex(byte).padStart(2, '0')}`).join('')
}

function hex(value: number): string {
  return value.toString(16)
}

function anyCase(digits: string): string {
  return digits.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
}

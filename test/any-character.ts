import fc from 'fast-check'

const SURROGATES = { from: 0xd800, count: 0x800 }

/** Fast-check's unit `binary`, of which fast-check makes a table of all 1.1 million characters. */
export const anyCharacter = fc.nat(0x10ffff - SURROGATES.count).map(
  (index) => String.fromCodePoint(index < SURROGATES.from ? index : index + SURROGATES.count),
  // With it, fast-check can also make words such as "__proto__".
  (character) => {
    const code = typeof character === 'string' ? (character.codePointAt(0) ?? 0) : 0
    if (character !== String.fromCodePoint(code)) throw new Error('not a character')
    return code < SURROGATES.from ? code : code - SURROGATES.count
  },
)

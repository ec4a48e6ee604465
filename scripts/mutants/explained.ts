/** Mutants of a line that no test can or should detect. */
interface Explained {
  /** The line where the mutants begin. */
  readonly code: string
  /** What they replace it with, or a part of it; without it, any mutant of the line. */
  readonly becomes?: readonly string[]
  readonly why: string
}

const SHORTCUT = 'a shortcut: the longer way has the same result'

export const EXPLAINED: Readonly<Record<string, readonly Explained[]>> = {
  'src/json/decimal.ts': [
    {
      code: "if (start > end) return { negative: false, digits: '', exponent: 0 }",
      becomes: ['true'],
      why: 'no function depends on the sign of zero',
    },
    {
      code: 'const written = exponent >= 0 ? integerDigits : Math.max(integerDigits, 1) - exponent',
      becomes: ['exponent > 0'],
      why: 'both ways count the same digits for the exponent 0',
    },
    { code: 'if (printed === source) return true', becomes: ['false'], why: SHORTCUT },
    {
      code: 'return before !== undefined && after !== undefined && compareMagnitudes(before, after) === 0',
      becomes: ['true'],
      why: 'every caller has a number, so that "before" is one; TypeScript cannot know',
    },
    {
      code: 'return leftDigits < rightDigits ? -1 : 1',
      becomes: ['leftDigits <= rightDigits'],
      why: 'they are not equal here',
    },
    {
      code: 'return left.digits < right.digits ? -1 : 1',
      becomes: ['left.digits <= right.digits'],
      why: 'they are not equal here',
    },
  ],
  'src/json/parse-json-value.ts': [
    {
      code: "return text.includes('\\\\') && hasKeyWithBackslash(value) ? readTokens(text) : value",
      becomes: ['true', "text.includes('\\\\') || hasKeyWithBackslash(value)"],
      why: SHORTCUT,
    },
    {
      code: 'for (const element of container) if (isContainer(element)) containers.push(element)',
      becomes: ['true'],
      why: 'the loop passes over what is no container',
    },
    {
      code: '} else if (isContainer(container)) {',
      becomes: ['true'],
      why: 'only the root can be a primitive, and has no key with a backslash then',
    },
    { code: "if (key.includes('\\\\')) return true", becomes: ['true'], why: SHORTCUT },
    {
      code: 'if (isContainer(value)) containers.push(value)',
      becomes: ['true'],
      why: 'the loop passes over what is no container',
    },
    { code: 'return false', becomes: ['true'], why: SHORTCUT },
    {
      code: "return typeof value === 'object' && value !== null",
      becomes: ['true'],
      why: 'a loop over the keys of null does nothing',
    },
    { code: 'const outer: JsonValue[][] = []', why: 'valid JSON closes no more brackets than it opens' },
  ],
  'src/json/parse-json.ts': [
    { code: 'if (!mayLoseDigits(text)) return lossy', becomes: ['false'], why: SHORTCUT },
    {
      code: 'return quoted === text ? lossy : (parseJsonValue(quoted) as Value)',
      becomes: ['false'],
      why: SHORTCUT,
    },
    { code: 'return LONG_NUMBER.test(text) || LARGE_EXPONENT.test(text)', becomes: ['true'], why: SHORTCUT },
    {
      code: 'while (at < text.length) {',
      becomes: ['at <= text.length'],
      why: 'nothing is at the end, neither a quote nor a digit',
    },
    {
      code: 'if ((source.length > 15 || /[eE]/.test(source)) && !survivesDouble(source)) {',
      becomes: ['true', 'source.length >= 15', '/[^eE]/'],
      why: SHORTCUT,
    },
  ],
}

/** Mutants of a line that no test can or should detect. */
interface Explained {
  /** A part of the line where the mutants begin. */
  readonly code: string
  /** What they replace something in it with; without it, any mutant of the line. */
  readonly becomes?: readonly string[]
  readonly why: string
}

const SHORTCUT = 'a shortcut: the longer way has the same result'

export const EXPLAINED: Readonly<Record<string, readonly Explained[]>> = {
  'src/events/account-data.ts': [
    {
      code: 'if (value === undefined || Object.hasOwn(data, name)) continue',
      becomes: ['false'],
      why: 'a field with the value undefined is as missing as none',
    },
  ],
  'src/events/amount.ts': [
    {
      code: "if (typeof value === 'number' && value === exact && !source.includes('e')) return source",
      becomes: ['false'],
      why: SHORTCUT,
    },
  ],
  'src/events/compile-data-schema.ts': [
    {
      code: '(convertObject === undefined || !isJsonObject(lossy) || convertObject(lossy, exact as JsonObject)) &&',
      becomes: ['false'],
      why: 'every schema of data is one of an object; TypeScript cannot know',
    },
    {
      code: 'const fields: Field[] = []',
      why: 'a field without a key and a conversion changes nothing',
    },
    {
      code: 'if (convertValue !== undefined || convertObject !== undefined)',
      becomes: ['true'],
      why: 'a field without a conversion changes nothing',
    },
    {
      code: 'const source = exact === lossy ? value : (exact[key] as string | number)',
      becomes: ['false'],
      why: 'the same object has the same value',
    },
    { code: 'if (exact !== lossy) exact[key] = written', becomes: ['true'], why: SHORTCUT },
    {
      code: '} else if (convertObject !== undefined && isJsonObject(value)) {',
      becomes: ['true'],
      why: 'a field without conversions is not in the list; TypeScript cannot know',
    },
  ],
  'src/events/identifier.ts': [
    {
      code: 'if (value === exact && Number.isSafeInteger(value)) return',
      becomes: ['false'],
      why: SHORTCUT,
    },
    {
      code: "if (typeof value === 'string' && IDENTIFIER.test(source)) return source",
      becomes: ['true'],
      why: 'an integer in JSON has no leading zeros, so that it is in plain notation already',
    },
  ],
  'src/events/parse-event.ts': [
    { code: 'compiled.set(schema, made)', why: 'it only saves compiling a schema again' },
    {
      code: 'return unrecognized(openEnvelope(envelope.text), schema.safeParse(parsed.lossy).error?.issues ?? [])',
      why: 'the schema has an issue with whatever its compiled form refuses; TypeScript cannot know',
    },
  ],
  'src/events/read-highlights.ts': [
    { code: '} catch {', why: 'without a statement, the function returns undefined, too' },
  ],
  'src/events/subject.ts': [
    {
      code: "const [, type = '', first] = BEGINNING.exec(textAt(bytes, 0, BEGINNING_BYTES)) ?? []",
      why: 'the first element is not used',
    },
    {
      code: 'if (known !== undefined && textAt(bytes, -END.length) === END) return',
      becomes: ['false', '+END.length'],
      why: SHORTCUT,
    },
    { code: 'function textAt(bytes: Uint8Array, start: number, end?: number): string {', why: SHORTCUT },
    {
      code: 'const BEGINNING =',
      why: SHORTCUT,
    },
  ],
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
  'src/receiver/handlers.ts': [
    {
      code: "return typeof (value as PromiseLike<unknown> | undefined | null)?.then === 'function'",
      becomes: ['true'],
      why: SHORTCUT,
    },
    {
      code: 'else if (first !== undefined) reason =',
      becomes: ['true'],
      why: 'an unrecognized event has an issue; TypeScript cannot know',
    },
  ],
  'src/receiver/hooks.ts': [
    {
      code: 'if (hooks.length > 0) await callAll(hooks, call, log)',
      becomes: ['true', 'hooks.length >= 0'],
      why: SHORTCUT,
    },
  ],
  'src/receiver/logger.ts': [
    { code: 'globalThis.process?.emitWarning?.(', why: 'every runtime that runs the tests has it' },
  ],
  'src/receiver/receiver.ts': [
    {
      code: 'const hooks = createHooks(logger, [options.callbackToken ?? []].flat())',
      becomes: ['["Stryker was here"]'],
      why: 'no URL has this text, which would be masked',
    },
    {
      code: 'if (!isPromiseLike(running) && report === undefined) return RECEIVED',
      becomes: ['false'],
      why: SHORTCUT,
    },
  ],
  'src/receiver/subjects.ts': [
    {
      code: '} catch {',
      why: 'without a subject, the inbox looks for one, and finds none in what cannot be parsed',
    },
  ],
  'src/receiver/traced-operations.ts': [
    {
      code: "if (!tracing.isOn('process')) return await consumer.handle(delivery)",
      becomes: ['false'],
      why: SHORTCUT,
    },
    {
      code: 'const codes: unknown[] = []',
      why: 'a text with a space is not a code',
    },
    {
      code: 'for (let depth = 0; one instanceof Error && depth < MAX_CAUSES; depth++, one = one.cause) {',
      becomes: ['depth <= MAX_CAUSES'],
      why: 'the limit need not be exact',
    },
  ],
  'src/receiver/tracing.ts': [
    {
      code: 'const isOn = (name: Operation) => instrumentation !== undefined || CHANNELS[name]?.hasSubscribers === true',
      becomes: ['CHANNELS[name].hasSubscribers'],
      why: 'a runtime without channels is tested in a process of its own, where nothing is mutated',
    },
    {
      code: 'await (channel?.hasSubscribers ? channel.tracePromise(inside, message) : inside())',
      becomes: ['channel.hasSubscribers'],
      why: 'a runtime without channels is tested in a process of its own, where nothing is mutated',
    },
    {
      code: "const diagnostics = globalThis.process?.getBuiltinModule?.('node:diagnostics_channel')",
      why: 'a runtime without channels is tested in a process of its own, where nothing is mutated',
    },
  ],
  'src/receiver/transaction.ts': [
    {
      code: 'await lastRun?.catch(() => {})',
      becomes: ['lastRun.catch'],
      why: 'while the phase is running, there is a run; TypeScript cannot know',
    },
  ],
  'src/verification/callback-token.ts': [
    {
      code: "return new URLSearchParams(start === -1 ? '' : withoutFragment.slice(start))",
      becomes: ['false', '+1'],
      why: 'without a query, this reads the last character as one, which is not "token" either',
    },
  ],
  'src/verification/client-keys.ts': [
    {
      code: 'if (cache.size >= CACHED_KEYS) cache.clear()',
      becomes: ['cache.size > CACHED_KEYS'],
      why: 'the size of a cache need not be exact',
    },
  ],
  'src/verification/request-verifier.ts': [
    {
      code: 'callbackToken: (_name, value) => value,',
      why: 'it only makes the option known; createRequestVerifier() checks it',
    },
    {
      code: 'if (key.length !== name.length || key.toLowerCase() !== name) continue',
      becomes: ['false'],
      why: SHORTCUT,
    },
  ],
  'src/verification/signature.ts': [
    {
      code: 'const BASE64_OBJECT =',
      becomes: ['/e[wy][\\w+/-]{6}/'],
      why: 'it is tested on eight characters, and needs all of them',
    },
  ],
}

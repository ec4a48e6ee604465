/** Never in UTF-8, so that an input is a readable body, mostly without any choices. */
export const SEPARATOR = 0xff

/**
 * An input of a target: the bytes before the last 0xFF are its body, and each byte after it makes one choice. A
 * choice that is missing is the first one.
 */
export class Input {
  readonly body: Buffer
  readonly #choices: Buffer
  #used = 0

  constructor(bytes: Buffer) {
    const { body, choices } = split(bytes)
    this.body = body
    this.#choices = choices
  }

  /** An integer from 0 to `count - 1`, at most 255. */
  below(count: number): number {
    return (this.#choices[this.#used++] ?? 0) % count
  }

  pick<Value>(values: readonly [Value, ...Value[]]): Value {
    return values[this.below(values.length)] as Value
  }
}

/** The bytes of an input. */
export function toInput(body: string | Uint8Array, ...choices: readonly number[]): Buffer {
  return Buffer.concat([
    Buffer.from(body as string),
    Buffer.from(choices.length > 0 ? [SEPARATOR, ...choices] : []),
  ])
}

export function split(bytes: Buffer): { body: Buffer; choices: Buffer } {
  const at = bytes.lastIndexOf(SEPARATOR)
  if (at === -1) return { body: bytes, choices: Buffer.alloc(0) }
  return { body: bytes.subarray(0, at), choices: bytes.subarray(at + 1) }
}

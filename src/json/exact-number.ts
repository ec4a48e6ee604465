/** A number that a double cannot hold, as written in a JSON text. */
export class ExactNumber {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }

  toString(): string {
    return this.source
  }

  /** Makes `JSON.stringify` write every digit. JSON.rawJSON is in Node 22, but not in TypeScript's library. */
  toJSON(): unknown {
    return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(this.source)
  }
}

/** JSON whose numbers keep their source text when they are serialized. */
export function readJson(text: string): unknown {
  return JSON.parse(text, (_name, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? new ExactNumber(context?.source ?? String(value)) : value,
  )
}

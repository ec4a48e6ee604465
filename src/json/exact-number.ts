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

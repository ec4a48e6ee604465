/** A number that a double cannot hold, as it stands in a JSON text. */
export class ExactNumber {
  readonly source: string

  /** @param source in JSON's notation */
  constructor(source: string) {
    this.source = source
  }

  toString(): string {
    return this.source
  }

  /** Has `JSON.stringify` write every digit. TypeScript's library lacks JSON.rawJSON, which Node 22 has. */
  toJSON(): unknown {
    return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(this.source)
  }
}

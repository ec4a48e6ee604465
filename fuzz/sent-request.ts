/** A request in a form that every framework can receive. */
export interface SentRequest {
  readonly method: string
  readonly path: string
  /** With its question mark; empty if there is none. */
  readonly query: string
  /** A name may be there twice. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The parts of the body, as they arrive. */
  readonly chunks: readonly Buffer[]
}

/** What every adapter must reply in the same way. */
export interface ReceivedReply {
  readonly status: number
  readonly type: string
  readonly allow: string
  readonly body: string
}

export const bodyOf = ({ chunks }: SentRequest) => Buffer.concat(chunks)

/** The values of each header, by its name in lower case. */
export function valuesOf(headers: SentRequest['headers']): Record<string, string[]> {
  const values = Object.create(null) as Record<string, string[]>
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    values[key] = [...(values[key] ?? []), value]
  }
  return values
}

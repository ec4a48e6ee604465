export const EXPECTATIONS = {
  accepted: 'a 2xx',
  rejected: 'a 4xx',
  'rejected or closed': 'a 4xx, or a closed connection',
  'not accepted': 'anything but a 2xx',
  'not an error': 'a status below 500',
} as const

export interface PlannedRequest {
  /** @default `POST` */
  readonly method?: 'POST' | 'PUT' | 'PATCH' | 'GET'
  readonly body: string | Uint8Array
  /** `null`: none. @default `application/json` */
  readonly contentType?: string | null
  /** Values of the signature header, a line each. */
  readonly signatures: readonly string[]
  /** @default `ACCESS-SIGNATURE`, as the service spells it */
  readonly signatureName?: string
  /** `undefined` removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /**
   * How the body is sent. `in pieces`: three parts, some time after each other. `slowly`: the same, in two
   * seconds, or a fifth of the time limit. `half`: the connection is closed for writing after half of it.
   * @default `whole`
   */
  readonly transfer?: 'whole' | 'chunked' | 'in pieces' | 'slowly' | 'half'
  /** Replaces the path and the query of the URL. */
  readonly path?: string
  /** What the response has to be. */
  readonly expected: keyof typeof EXPECTATIONS
  /** Distinguishes it from the other requests of its case. */
  readonly label?: string
}

export interface Exchange {
  readonly durationMs: number
  readonly status?: number
  /** Where a redirect leads. */
  readonly location?: string
  /** The body is longer than the limit, and was not read to its end. */
  readonly isCut?: boolean
  /** The start of the body of the response. */
  readonly text?: string
  /** What the response has in it, although the request had not. */
  readonly revealed?: readonly string[]
  /** Why there is no complete response. */
  readonly failure?: 'unreachable' | 'closed' | 'timed out'
  /** The message of the failure, and its code. */
  readonly message?: string
  readonly code?: string
}

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
  readonly expected: 'accepted' | 'rejected' | 'rejected or closed' | 'not accepted' | 'not an error'
  /** Distinguishes it from the other requests of its case. */
  readonly label?: string
  /** Of the signature. @default the client id */
  readonly key?: string | undefined
}

export interface Exchange {
  readonly request: PlannedRequest
  readonly durationMs: number
  readonly status?: number | undefined
  /** Names and values of the headers of the response. */
  readonly head?: readonly string[] | undefined
  /** Where a redirect leads. */
  readonly location?: string | undefined
  /** The body is longer than the limit, and was not read to its end. */
  readonly isCut?: boolean | undefined
  /** The start of the body of the response. */
  readonly text?: string
  /** Why there is no complete response. */
  readonly failure?: 'unreachable' | 'closed' | 'timed out' | undefined
  /** The message of the failure, and its code. */
  readonly message?: string | undefined
  readonly code?: string | undefined
}

export type Send = (request: PlannedRequest) => Promise<Exchange>

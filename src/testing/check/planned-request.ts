/** What the response to a request has to be. */
export type Expectation = keyof typeof EXPECTATIONS

export const EXPECTATIONS = {
  accepted: 'a 2xx',
  rejected: 'a 4xx',
  'rejected or closed': 'a 4xx, or a closed connection',
  'not accepted': 'anything but a 2xx',
  'not an error': 'a status below 500',
} as const

/** A request, as a value. */
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
  /**
   * How the body is sent. `in pieces`: three parts, some time after each other. `half`: the connection
   * is closed for writing after half of it. @default `whole`
   */
  readonly transfer?: 'whole' | 'chunked' | 'in pieces' | 'half'
  /** Replaces the path and the query of the URL. */
  readonly path?: string
  readonly expected: Expectation
  /** Distinguishes it from the other requests of its case. */
  readonly label?: string
}

/** A notification with a verified signature, whose body has not been parsed. */
export interface SignedNotification {
  /** 64 hex digits. Equal bodies have equal signatures. */
  readonly signature: string
  /** The client id it is signed with. */
  readonly clientId: string
  /** When the request arrived. */
  readonly receivedAt: Date
  /** The exact bytes that arrived. */
  readonly rawBody: Uint8Array
}

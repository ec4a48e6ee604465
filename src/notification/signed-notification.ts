/** A notification whose signature has been verified; its body has not been read. */
export interface SignedNotification {
  /** What names the delivery: its signature, 64 hex digits, which a repeated attempt has too. */
  readonly deliveryId: string
  /** The client id that it is signed with. */
  readonly clientId: string
  /** When the request arrived. */
  readonly receivedAt: Date
  /** The exact bytes that arrived. */
  readonly rawBody: Uint8Array
}

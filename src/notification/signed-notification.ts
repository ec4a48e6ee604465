export type NotificationSource = 'service' | 'reconcile'

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
  /**
   * What it is about, such as `payment:48121`, in 1 to 200 characters; `null` if that is unknown. Default: read
   * from the body.
   */
  readonly subject?: string | null | undefined
  /** Whether the service sent it, or `reconcile` found it. @default `service` */
  readonly source?: NotificationSource | undefined
  /** The W3C trace context of the span that stored it, so that the one that handles it can link to it. */
  readonly traceparent?: string | undefined
}

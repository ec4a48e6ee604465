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
  /**
   * An inbox with `oneAtATime` handles one notification of a key at a time. 1 to 200 characters; with `null`,
   * the notification is not limited. Default: its subject.
   */
  readonly concurrencyKey?: string | null | undefined
  /**
   * For {@link ReceiverInbox.put}: the lasting id that the entry gets, a UUID of version 7 in lower case. If
   * the inbox has an entry with it, the notification is a duplicate. Default: a new one.
   */
  readonly id?: string | undefined
  /** Whether the service sent it, or `reconcile` found it. @default `service` */
  readonly source?: NotificationSource | undefined
  /** The W3C trace context of the span that stored it, so that the one that handles it can link to it. */
  readonly traceparent?: string | undefined
}

/** W3C Trace Context forbids the version `ff`, and ids of zeros. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

export function isTraceparent(value: unknown): value is string {
  return typeof value === 'string' && TRACEPARENT.test(value)
}

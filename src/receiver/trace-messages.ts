import type { NotificationSource } from '../notification/signed-notification.ts'

/** What the tracing channel `payhook:receive` tells about a request. */
export interface ReceiveMessage {
  readonly method: string
  /** Set at the end: the status of the reply. */
  status?: number
  /** Set at the end: `received`, `duplicate`, or the `code` of the reply, such as `signature_mismatch`. */
  verdict?: string
}

/** What the tracing channel `payhook:put` tells about a notification that is stored. */
export interface PutMessage {
  /** The `type` of the body; `null` if the body cannot be parsed. */
  readonly kind: string | null
  readonly subject: string | null
  /**
   * A subscriber may set it at the start, to the W3C trace context of its span. It is stored with the
   * notification, so that the span that handles it can link to this one.
   */
  traceparent?: string
  /** Set at the end. */
  outcome?: 'stored' | 'duplicate' | 'failed'
  /** Set if it failed: the code of the error, or its name. */
  errorType?: string
}

/** What the tracing channel `payhook:process` tells about an attempt to handle a notification. */
export interface ProcessMessage {
  /** The `type` of the body; `null` if the body cannot be parsed. */
  readonly kind: string | null
  readonly subject: string | null
  readonly source: NotificationSource
  /** The id of the entry; `undefined` without an inbox. */
  readonly entryId: string | undefined
  /** The number of the attempt, from 1. */
  readonly attempt: number
  /** When the request arrived. */
  readonly receivedAt: Date
  /** The trace context of the span that stored it, if there is one. */
  readonly traceparent: string | undefined
  /**
   * Set at the end. After a failure, it is `retry` if there is another attempt, `dead` if not, and `failed`
   * without an inbox. It is `deferred` if a handler said "not yet" (`RetryAfterError`), and `returned` if
   * `stop()` cut the attempt off: neither counts.
   */
  outcome?: 'completed' | 'retry' | 'dead' | 'failed' | 'returned' | 'deferred'
  /** Set if it failed: the code of the error, or its name. */
  errorType?: string
}

export interface TraceMessages {
  readonly receive: ReceiveMessage
  readonly put: PutMessage
  readonly process: ProcessMessage
}

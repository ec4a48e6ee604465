const LINGER_MS = 250

/** The part of Node's `IncomingMessage`, or its HTTP/2 counterpart, that payhook uses. */
interface Discardable {
  readonly readableEnded?: boolean
  readonly destroyed?: boolean
  readonly socket?: { readonly bytesWritten: number }
  /** HTTP/2 only. */
  readonly stream?: { readonly headersSent: boolean; readonly destroyed: boolean; destroy(): unknown }
  resume(): unknown
  destroy(): unknown
  once(event: 'close', listener: () => void): unknown
}

/**
 * Discards the rest of a body that is not needed. Reading continues for a moment after the reply, so that the
 * sender can read the reply; then the connection is closed. Call it before the reply is written.
 */
export function discardRest(request: unknown): void {
  const rest = request as Discardable
  // In HTTP/2, only the stream knows that the sender has disconnected.
  if (rest.readableEnded || rest.destroyed || rest.stream?.destroyed) return
  rest.resume()
  const writtenBefore = rest.socket?.bytesWritten ?? 0
  let hasReplied = false
  const timer = setInterval(() => {
    if (hasReplied) (rest.stream ?? rest).destroy()
    hasReplied = rest.stream?.headersSent ?? (rest.socket?.bytesWritten ?? 0) > writtenBefore
  }, LINGER_MS)
  timer.unref()
  rest.once('close', () => clearInterval(timer))
}

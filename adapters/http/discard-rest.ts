const LINGER_MS = 250

/** The part of Node's `IncomingMessage`, and of its HTTP/2 counterpart, that is used. */
interface Discardable {
  readonly readableEnded?: boolean
  readonly destroyed?: boolean
  readonly socket?: { readonly bytesWritten: number }
  /** Of HTTP/2 only. */
  readonly stream?: { readonly headersSent: boolean; destroy(): unknown }
  resume(): unknown
  destroy(): unknown
  once(event: 'close', listener: () => void): unknown
}

/**
 * Lets go of a body that is not going to be used. What still comes is read and dropped, so that the sender gets
 * to read the answer; a moment after the answer the connection is cut. Call it before the answer is written.
 */
export function discardRest(request: unknown): void {
  const rest = request as Discardable
  if (rest.readableEnded || rest.destroyed) return
  rest.resume()
  const writtenBefore = rest.socket?.bytesWritten ?? 0
  let answered = false
  const timer = setInterval(() => {
    if (answered) (rest.stream ?? rest).destroy()
    answered = rest.stream?.headersSent ?? (rest.socket?.bytesWritten ?? 0) > writtenBefore
  }, LINGER_MS)
  timer.unref()
  rest.once('close', () => clearInterval(timer))
}

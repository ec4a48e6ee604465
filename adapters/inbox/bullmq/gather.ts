import type { Writable } from 'node:stream'

/**
 * Sends the commands of this turn of the event loop in one packet, which takes less processor time here and in
 * Redis. Does nothing for a cluster, or for a client other than ioredis.
 */
export function gather(client: object): void {
  const { stream } = client as { readonly stream?: Writable }
  if (stream?.writableCorked !== 0) return
  stream.cork()
  setImmediate(() => stream.uncork())
}

import { finished } from 'node:stream/promises'
import { getRawBody } from 'raw-body'
import { type Body, isBody } from '../../src/body-bytes.ts'
import { isPayhookError } from '../../src/is-payhook-error.ts'
import { bodyConsumed, bodyIncomplete } from '../../src/verification/body-errors.ts'
import type { ReadBody } from '../../src/verification/webhook-request.ts'
import { BodyCollector } from './body-collector.ts'

/** What of a Node stream tells how far it has been read. */
interface StreamState {
  readonly readableDidRead?: boolean
  readonly readableEnded?: boolean
  readonly destroyed?: boolean
}

type NodeStream = Parameters<typeof getRawBody>[0] & StreamState

/**
 * The body of a request on Node: read from the stream if nobody has, since those are the bytes that arrived;
 * otherwise the copy that an earlier parser kept.
 *
 * @param findKept gives what the framework's parsers may have kept; only text and bytes count
 * @param fix how to mount payhook before the parser, for the message when there is no copy
 */
export function bodyOf(request: unknown, findKept: () => readonly unknown[], fix: string): Body | ReadBody {
  const stream = request as NodeStream
  if (!stream.readableDidRead && !stream.readableEnded) {
    return (maxBytes) => readStream(stream, maxBytes, fix)
  }
  const kept = findKept().find(isBody)
  if (kept !== undefined) return kept
  // A stream that ended without any data was an empty body, whoever read it.
  return stream.readableDidRead ? () => waitForKept(stream, findKept, fix) : ''
}

/** Another reader is at work, or was. */
async function waitForKept(
  stream: NodeStream,
  findKept: () => readonly unknown[],
  fix: string,
): Promise<Body> {
  if (!stream.readableEnded) await finished(stream, { writable: false })
  const kept = findKept().find(isBody)
  if (kept === undefined) throw bodyConsumed(fix)
  return kept
}

function readStream(stream: NodeStream, maxBytes: number, fix: string): Promise<Body> {
  const collector = new BodyCollector(maxBytes)
  // raw-body keeps every chunk, unless it has a decoder to hand them to.
  const reading = getRawBody(stream, { encoding: true, decoder: () => collector })
  // An earlier middleware may have paused it, and then listening alone does not start it again.
  if (stream.isPaused()) stream.resume()
  return reading.then(
    () => collector.toBytes(),
    (error) => {
      throw toReadError(error, stream, fix)
    },
  )
}

function toReadError(error: { readonly type?: string }, stream: StreamState, fix: string): unknown {
  if (isPayhookError(error)) return error
  const { type } = error
  const isConsumed = type === 'stream.not.readable' && (!stream.destroyed || stream.readableEnded)
  if (isConsumed || type === 'stream.encoding.set') return bodyConsumed(fix)
  return bodyIncomplete('was cut off', error)
}

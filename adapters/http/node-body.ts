import { getRawBody } from 'raw-body'
import { type Body, isBody } from '../../src/body-bytes.ts'
import { bodyConsumed, bodyIncomplete, bodyTooLarge } from '../../src/body-errors.ts'
import type { HeaderLookup, ReadBody } from '../../src/webhook-request.ts'

/** The part of Node's `IncomingMessage` that is used; Express and Koa hand the same object on. */
export interface NodeRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: NodeHeaders
}

/** Headers as Node has them. */
export type NodeHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Node has the names in lower case, so that they need not be searched for. */
export function lookupOf(headers: NodeHeaders): HeaderLookup {
  return { get: (name) => headers[name] }
}

/** What of a Node stream tells how far it has been read. */
interface StreamState {
  readonly readableDidRead?: boolean
  readonly readableEnded?: boolean
  readonly destroyed?: boolean
}

type NodeStream = Parameters<typeof getRawBody>[0]

/**
 * The body of a request on Node: read from the stream while nobody has, since those are the bytes that arrived;
 * else the copy that an earlier parser kept.
 *
 * @param kept where the framework's parsers keep a body; what is no text and no bytes among it is passed over
 * @param fix how to mount payhook before the parser, for the message when there is no copy
 */
export function bodyOf(request: unknown, kept: readonly unknown[], fix: string): Body | ReadBody {
  const { readableDidRead, readableEnded } = request as StreamState
  if (!readableDidRead && !readableEnded) {
    return (maxBytes) => readStream(request as NodeStream & StreamState, maxBytes, fix)
  }
  // A stream that ended and gave nothing was an empty body, whoever read it.
  return kept.find(isBody) ?? (readableDidRead ? () => Promise.reject(bodyConsumed(fix)) : '')
}

async function readStream(stream: NodeStream & StreamState, maxBytes: number, fix: string): Promise<Body> {
  try {
    return await getRawBody(stream, { limit: maxBytes })
  } catch (error) {
    switch ((error as { type?: string }).type) {
      case 'entity.too.large':
        throw bodyTooLarge(maxBytes)
      case 'stream.encoding.set':
        throw bodyConsumed(fix)
      case 'stream.not.readable':
        throw stream.destroyed && !stream.readableEnded
          ? bodyIncomplete('was cut off', error)
          : bodyConsumed(fix)
      default:
        throw bodyIncomplete('was cut off', error)
    }
  }
}

const LINGER_MS = 500

interface Discardable extends StreamState {
  resume(): unknown
  destroy(): unknown
  once(event: 'close' | 'end', listener: () => void): unknown
}

interface Finishing {
  readonly writableFinished?: boolean
  once(event: 'finish' | 'close', listener: () => void): unknown
}

/**
 * Lets go of a body that was refused before it had come whole. The rest is read and dropped until a moment after the
 * answer, so that the sender gets to see it; then the connection is cut, so that nobody can keep it busy.
 *
 * @param response what answers; without it the moment begins at once
 */
export function discardRest(request: unknown, response?: unknown): void {
  const stream = request as Discardable
  if (stream.readableEnded || stream.destroyed) return
  stream.resume()
  const finishing = response as Finishing | undefined
  if (finishing === undefined || finishing.writableFinished) {
    cutAfterMoment(stream)
  } else {
    finishing.once('finish', () => cutAfterMoment(stream))
  }
}

function cutAfterMoment(stream: Discardable): void {
  if (stream.readableEnded || stream.destroyed) return
  const timer = setTimeout(() => stream.destroy(), LINGER_MS)
  timer.unref()
  stream.once('end', () => clearTimeout(timer))
  stream.once('close', () => clearTimeout(timer))
}

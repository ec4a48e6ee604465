import { HandlingError } from '../../src/errors.ts'
import { toPlainError } from '../../src/receiver/logger.ts'
import type { AnyReceiver } from '../../src/receiver/receiver.ts'
import { type Reply, toErrorReply } from '../../src/receiver/reply.ts'

export function assertReceiver(receiver: AnyReceiver, others: readonly unknown[] = []): void {
  if (typeof receiver?.receive !== 'function')
    throw new TypeError('"receiver" must be a receiver, such as one created with createReceiver()')
  if (others.length > 0) throw new TypeError('receiveWebhooks() takes a receiver and no other argument')
}

export function assertPath(path: unknown): void {
  if (typeof path === 'string' && path.startsWith('/')) return
  throw new TypeError('"path" option must begin with a slash, such as /webhooks')
}

export function isMethod(value: unknown, name: string): boolean {
  return typeof (value as Record<string, unknown> | null | undefined)?.[name] === 'function'
}

/** Fails a request of another framework in a way that it understands, perhaps with a TypeError. */
export function failWrongMount(adapter: string, [, response, next]: readonly unknown[]): void {
  const error = new TypeError(
    `${adapter} is mounted in the wrong framework, or in the wrong place: see docs/frameworks.md.`,
  )
  if (typeof next === 'function') next(error)
  else if (isMethod(response, 'writeHead'))
    respondFailed(response as NodeResponse, 'adapter_misplaced', error)
  else throw error
}

/** The part of Node's `ServerResponse` that payhook uses. */
export interface NodeResponse {
  readonly headersSent: boolean
  writeHead(status: number, headers: Record<string, string>): unknown
  end(body: string): unknown
  destroy(): unknown
}

const warned = new Set<string>()

/** Responds 500 where a rejection would end the process. The first error of a code is a process warning. */
export function respondFailed(response: NodeResponse, code: string, error: unknown): void {
  const { message, stack } = toPlainError(error)
  if (!warned.has(code))
    process.emitWarning(message, { type: 'PayhookWarning', code, detail: stack as string })
  warned.add(code)
  try {
    if (!response.headersSent) respond(response, toErrorReply(new HandlingError('receiver_failed', message)))
  } catch {
    // Of a wrapper of the response.
    response.destroy()
  }
}

/** Not in a chain: some wrappers of `writeHead` return nothing. */
export function respond(response: NodeResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, headers)
  response.end(body)
}

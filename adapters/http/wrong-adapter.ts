import { HandlingError } from '../../src/errors.ts'
import { toErrorReply } from '../../src/receiver/reply.ts'

/** How to recognize a framework by the first argument of its handlers, and what to use there. */
const FRAMEWORKS: readonly (readonly [name: string, use: string, test: (first: unknown) => boolean])[] = [
  [
    'Fastify',
    'payhook/fastify, with app.register(receiveWebhooks, { receiver, path })',
    (first) => isMethod(first, 'addHook') || at(first, 'raw', 'headers') !== undefined,
  ],
  [
    'Hono',
    'payhook/fetch, and pass it c.req.raw',
    (first) => isMethod(first, 'req', 'raw', 'headers', 'get'),
  ],
  ['Koa', 'payhook/koa', (first) => isMethod(first, 'req', 'resume') && isMethod(first, 'throw')],
  ['Express', 'payhook/express', (first) => isMethod(first, 'resume') && isMethod(first, 'get')],
  ['Node', 'payhook/node', (first) => isMethod(first, 'resume')],
  ['the Fetch API', 'payhook/fetch', (first) => isMethod(first, 'headers', 'get')],
  ['AWS Lambda', 'payhook/lambda', (first) => at(first, 'requestContext', 'http') !== undefined],
]

/** Whether a value has a method, which may be that of a member. */
export function isMethod(value: unknown, ...path: readonly string[]): boolean {
  return typeof at(value, ...path) === 'function'
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((from, name) => (from as Record<string, unknown> | null | undefined)?.[name], value)
}

/**
 * Fails a request that reached the adapter of another framework, in the way that this framework understands.
 *
 * @throws TypeError unless the framework has passed another way to fail
 */
export function failWrongAdapter(adapter: string, ...[first, response, next]: readonly unknown[]): void {
  const found = FRAMEWORKS.find(([, , test]) => test(first))
  const error = new TypeError(
    found === undefined
      ? `${adapter} got something that is not an HTTP request of its framework.`
      : `${adapter} is mounted, but this looks like ${found[0]}: import ${found[1]}.`,
  )
  if (typeof next === 'function') next(error)
  else if (isMethod(response, 'writeHead')) {
    // A rejection that nothing handles ends the process.
    process.emitWarning(error)
    writeFailure(response as NodeResponse, error.message)
  } else throw error
}

/** The part of Node's `ServerResponse` that payhook uses. */
export interface NodeResponse {
  readonly headersSent: boolean
  writeHead(status: number, headers: Record<string, string>): { end(body: string): unknown }
}

/** Responds 500, so that the sender does not wait until the connection times out. */
export function writeFailure(response: NodeResponse, message: string): void {
  const { status, headers, body } = toErrorReply(new HandlingError('handler_failed', message))
  if (!response.headersSent) response.writeHead(status, headers).end(body)
}

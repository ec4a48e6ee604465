import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { toPlainError } from '../receiver/logger.ts'
import { type InboxConsole, type NodeRequestResponse, reject } from './create-console.ts'

/**
 * Turns a console into a request listener for Node, which Express accepts too.
 *
 * @example
 * app.use('/admin/inbox', toNodeListener(inboxConsole)) // Express
 * createServer(toNodeListener(inboxConsole)) // Node
 */
export function toNodeListener(
  inboxConsole: InboxConsole,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return getRequestListener(
    (request, env) => inboxConsole(request, env as NodeRequestResponse).catch(respondFailed),
    // The global Request and Response belong to the application.
    { overrideGlobalObjects: false },
  )
}

/** Node and Koa would drop the error, which is often one of `authorize`. */
function respondFailed(error: unknown): Response {
  const { message, stack } = toPlainError(error)
  process.emitWarning(message, { type: 'PayhookWarning', code: 'console_failed', detail: stack as string })
  return reject(500, 'internal_error', 'The server failed. A warning of its process says why.')
}

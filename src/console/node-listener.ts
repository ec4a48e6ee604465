import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { InboxConsole, NodeRequestResponse } from './create-console.ts'

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
  return getRequestListener((request, env) => inboxConsole(request, env as NodeRequestResponse), {
    // The global Request and Response belong to the application.
    overrideGlobalObjects: false,
  })
}

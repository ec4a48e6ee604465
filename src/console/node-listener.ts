import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { Console, NodeExchange } from './create-console.ts'

/**
 * Turns a console into a request listener for Node, which Express accepts too.
 *
 * @example
 * app.use('/admin/inbox', toNodeListener(inboxConsole)) // Express
 * createServer(toNodeListener(inboxConsole)) // Node
 */
export function toNodeListener(
  console: Console,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return getRequestListener((request, env) => console(request, env as NodeExchange), {
    // The global Request and Response belong to the application.
    overrideGlobalObjects: false,
  })
}

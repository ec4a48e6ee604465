import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Inbox } from '../inbox/inbox.ts'
import { isPayhookError } from '../is-payhook-error.ts'
import { type Checks, checkOptions, hasMethods, option } from '../option-checks.ts'
import { QueryError, READS, WRITES } from './inbox-calls.ts'
import { readPage } from './page-document.ts'

/** A request and its response as Node has them. */
export interface NodeRequestResponse {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
}

/** Options of {@link createConsole}. */
export interface ConsoleOptions {
  /** The inbox to show: of `payhook/sqlite`, `payhook/bullmq` or `payhook/postgres`. */
  readonly inbox: Inbox
  /**
   * Decides who may see and change the inbox. Called for every request, before anything else.
   *
   * @param request the page itself, or a call that the page makes. It has no body
   * @param node Node's request and response, if {@link toNodeListener} is used: your framework keeps the
   *   session there
   * @returns `true` to let the request through, `false` to respond with 403, or your own response, such as a
   *   redirect to the login page
   */
  readonly authorize: (
    request: Request,
    node?: NodeRequestResponse,
  ) => boolean | Response | Promise<boolean | Response>
}

/** Handles the requests of the page, at one path of your choice. */
export type InboxConsole = (request: Request, node?: NodeRequestResponse) => Promise<Response>

const OPTIONS: Checks<ConsoleOptions> = {
  inbox: option('an inbox, such as one created with createSqliteInbox()', hasMethods('replayAll')),
  authorize: option(
    'a function that decides who may see every notification of the inbox',
    (authorize) => typeof authorize === 'function',
  ),
}
const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

/**
 * Creates a web page for an inbox: what is waiting, completed or dead and why, with the exact bytes and the
 * event; it replays and deletes. Mount it at one path, for GET and POST. The page calls its own path with
 * a query, and no request has a body, so a body parser before it does not matter.
 *
 * @throws TypeError if an option is invalid or `authorize` is missing
 * @example
 * const inboxConsole = createConsole({ inbox, authorize: (request) => isAdmin(request.headers.get('cookie')) })
 * app.all('/admin/inbox', (c) => inboxConsole(c.req.raw)) // Hono
 * app.use('/admin/inbox', toNodeListener(inboxConsole)) // Express
 */
export function createConsole(options: ConsoleOptions): InboxConsole {
  const { inbox, authorize } = checkOptions('createConsole', options, OPTIONS)
  return async (request, node) => {
    const verdict = await authorize(request, node)
    if (verdict instanceof Response) return verdict
    if (verdict !== true) return reject(403, 'forbidden', 'You may not see this inbox.')
    try {
      return await respond(inbox, request)
    } catch (error) {
      if (error instanceof QueryError) return reject(400, 'query_invalid', error.message)
      if (isPayhookError(error)) return reject(error.status, error.code, error.message)
      throw error
    }
  }
}

async function respond(inbox: Inbox, request: Request): Promise<Response> {
  const { method } = request
  const query = new URL(request.url).searchParams
  const call = query.get('call')
  if (call === null && (method === 'GET' || method === 'HEAD')) {
    const { html, headers } = await readPage('inbox')
    return new Response(method === 'GET' ? html : null, { headers })
  }
  // Another site cannot send this header: its preflight request is never allowed.
  if (!request.headers.has('x-payhook-console'))
    return reject(403, 'foreign_request', 'This is for the page itself.')
  const calls = method === 'GET' ? READS : method === 'POST' ? WRITES : {}
  if (!Object.hasOwn(calls, call ?? '')) return reject(404, 'not_found', 'There is no such call.')
  const run = calls[call as keyof typeof calls] as (inbox: Inbox, query: URLSearchParams) => Promise<object>
  return Response.json(await run(inbox, query), { headers: HEADERS })
}

export function reject(status: number, code: string, message: string): Response {
  return Response.json({ code, message }, { status, headers: HEADERS })
}

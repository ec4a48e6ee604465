import type { Context, Hono } from 'hono'
import type { CheckedSandboxOptions } from '../sandbox-options.ts'
import { findUser, type SandboxUser, USERS } from '../state/accounts.ts'
import { BoundedMap } from '../state/bounded-map.ts'
import { IssuedTokens } from '../state/issued-tokens.ts'
import { answerConsent, answerLogIn, answerRefusal, type FormTarget } from './authorize-page.ts'
import { type AuthorizeRequest, readAuthorizeRequest, toRedirect } from './authorize-request.ts'
import { grantCode } from './consent.ts'
import { ParameterFault, readParameters, readQuery } from './parameters.ts'

/**
 * A log-in that waits for the user's decision. Only the form contains its id, so that no other site can
 * decide.
 */
interface LogIn {
  readonly user: SandboxUser
  readonly query: string
}

const MAX_LOG_INS = 1_000

/** The authorize call: log-in, consent, then a redirect to the application with a code. */
export function addAuthorizeRoute(app: Hono, options: CheckedSandboxOptions, tokens: IssuedTokens): void {
  const { authorizePath } = options
  const logIns = new BoundedMap<string, LogIn>(MAX_LOG_INS)

  app.get(authorizePath, (c) => withRequest(c, (target) => askForLogIn(c, target)))
  app.post(authorizePath, (c) =>
    withRequest(c, async (target) => {
      const form = await readParameters(c.req)
      const { step, as, ticket = '', email = '', password = '' } = form
      if (as !== undefined) return await allow(c, target, as)
      if (step === 'deny') return redirect(c, target.request, denial)
      if (step === 'allow') return await allow(c, target, ticket)
      return await logIn(c, target, email, password)
    }),
  )

  async function withRequest(
    c: Context,
    answer: (target: FormTarget) => Promise<Response>,
  ): Promise<Response> {
    const request = readAuthorizeRequest(readQuery(c.req), options)
    if ('explain' in request) return await answerRefusal(c, request.explain)
    if ('redirectTo' in request) return toApplication(c, request.redirectTo)
    try {
      return await answer({ request, action: `${authorizePath}?${request.query}` })
    } catch (error) {
      if (error instanceof ParameterFault) return await answerRefusal(c, error.message)
      throw error
    }
  }

  async function askForLogIn(
    c: Context,
    target: FormTarget,
    failed?: { email: string; message: string },
  ): Promise<Response> {
    const shortcuts = USERS.map((user) => ({ user, ticket: issueTicket(user, target) }))
    return await answerLogIn(c, target, shortcuts, failed)
  }

  function issueTicket(user: SandboxUser, { request }: FormTarget): string {
    const ticket = IssuedTokens.random()
    logIns.set(ticket, { user, query: request.query })
    return ticket
  }

  async function logIn(c: Context, target: FormTarget, email: string, password: string): Promise<Response> {
    const user = findUser(email, password)
    if (!user) return await askForLogIn(c, target, { email, message: 'E-mail and password do not match.' })
    const ticket = issueTicket(user, target)
    return await answerConsent(c, target, { user, ticket, clientId: options.clientId })
  }

  async function allow(c: Context, target: FormTarget, ticket: string): Promise<Response> {
    const login = logIns.get(ticket)
    logIns.delete(ticket)
    // The consent is only valid for what the page showed.
    if (login?.query !== target.request.query)
      return await askForLogIn(c, target, {
        email: '',
        message: 'The log-in has expired. Please log in again.',
      })
    return toApplication(c, grantCode(target.request, login.user, options, tokens))
  }
}

const denial = { error: 'access_denied', error_description: 'The user denied access' }

function redirect(
  c: Context,
  request: AuthorizeRequest,
  parameters: Readonly<Record<string, string>>,
): Response {
  return toApplication(c, toRedirect(request, parameters))
}

function toApplication(c: Context, url: string): Response {
  // 303, so that the browser does not send the form to the redirect target.
  return c.body(null, c.req.method === 'POST' ? 303 : 302, {
    location: url,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  })
}

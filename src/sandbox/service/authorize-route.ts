import type { Context, Hono } from 'hono'
import { HttpError } from '../http-error.ts'
import { type SandboxUser, USERS } from '../state/accounts.ts'
import { BoundedMap } from '../state/bounded-map.ts'
import { randomToken } from '../state/issued-tokens.ts'
import type { SandboxState } from '../state/sandbox-state.ts'
import { sendConsent, sendLogin, sendRejection } from './authorize-page.ts'
import { type AuthorizeRequest, grantCode, readAuthorizeRequest, toRedirect } from './authorize-request.ts'
import { type Parameters, readParameters, readQuery } from './parameters.ts'

/** A login that waits for the user's decision on a request. */
interface Login {
  readonly user: SandboxUser
  readonly query: string
}

const MAX_LOGINS = 1_000
const DENIAL = { error: 'access_denied', error_description: 'The user denied access' }

/** The authorize call: login, consent, then a redirect to the application with a code. */
export function addAuthorizeRoute(app: Hono, { options, tokens }: SandboxState): void {
  const { authorizePath, clientId } = options
  // By tickets, which are only in the forms, so that no other site can decide.
  const logins = new BoundedMap<string, Login>(MAX_LOGINS)

  app.on(['GET', 'POST'], authorizePath, async (c) => {
    try {
      const request = readAuthorizeRequest(readQuery(c.req), options)
      if ('redirectTo' in request) return redirect(c, request.redirectTo)
      return await respond(c, request, c.req.method === 'POST' ? await readParameters(c.req) : undefined)
    } catch (error) {
      if (error instanceof HttpError && error.status === 400) return await sendRejection(c, error.message)
      throw error
    }
  })

  async function respond(c: Context, request: AuthorizeRequest, form?: Parameters): Promise<Response> {
    const { query } = request
    const action = `${authorizePath}?${query}`
    const issueTicket = (user: SandboxUser) => {
      const ticket = randomToken()
      logins.set(ticket, { user, query })
      return { user, ticket }
    }
    const askForLogin = async (message?: string, email = '') =>
      await sendLogin(c, action, USERS.map(issueTicket), message, email)

    if (form === undefined) return await askForLogin()
    const { step, email = '', password = '' } = form
    if (step === 'deny') return redirect(c, toRedirect(request, DENIAL))
    const ticket = form.as ?? (step === 'allow' ? (form.ticket ?? '') : undefined)
    if (ticket === undefined) {
      const name = email.trim().toLowerCase()
      const user = USERS.find((one) => one.email === name && one.password === password)
      if (!user) return await askForLogin('E-mail and password do not match.', email)
      return await sendConsent(c, action, {
        ...issueTicket(user),
        clientId,
        redirectUri: request.redirectUri,
      })
    }
    const login = logins.get(ticket)
    logins.delete(ticket)
    // The consent is only valid for what the page showed.
    if (login?.query !== query) return await askForLogin('The login has expired. Please log in again.')
    return redirect(c, grantCode(request, login.user, tokens))
  }
}

function redirect(c: Context, url: string): Response {
  // 303, so that the browser does not send the form to the redirect target.
  return c.body(null, c.req.method === 'POST' ? 303 : 302, {
    location: url,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  })
}

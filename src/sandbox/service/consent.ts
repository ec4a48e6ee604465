import type { SandboxCore } from '../delivery/sandbox-core.ts'
import { type SandboxUser, USERS } from '../state/accounts.ts'
import { type AuthorizeRequest, readAuthorizeRequest, toRedirect } from './authorize-request.ts'

const CODE_LIFETIME_MS = 300_000

/** @see Sandbox.consent */
export function consent(authorizeUrl: string, user: SandboxUser, core: SandboxCore): string {
  const { options } = core
  if (!URL.canParse(authorizeUrl)) throw new TypeError('"authorizeUrl" must be an absolute URL')
  if (!USERS.includes(user)) throw new TypeError('"user" must be one of the users of the sandbox')
  // Not the origin, as a container may use another host name.
  if (new URL(authorizeUrl).pathname !== options.authorizePath)
    throw new TypeError(
      '"authorizeUrl" is not the authorize page; check the "authorizePath" option of the client',
    )
  try {
    const request = readAuthorizeRequest(new URL(authorizeUrl).searchParams, options)
    return 'redirectTo' in request ? request.redirectTo : grantCode(request, user, core)
  } catch (error) {
    throw new TypeError(`"authorizeUrl" is invalid: ${(error as Error).message}`)
  }
}

/** Creates a code for a user who has consented, and returns the redirect URL. */
export function grantCode(request: AuthorizeRequest, user: SandboxUser, { tokens }: SandboxCore): string {
  return toRedirect(request, { code: tokens.issueCode(user, request, CODE_LIFETIME_MS) })
}

import type { SandboxCore } from '../delivery/sandbox-core.ts'
import { type SandboxUser, USERS } from '../state/accounts.ts'
import { IssuedTokens, toOAuthClient } from '../state/issued-tokens.ts'
import { type AuthorizeRequest, readAuthorizeRequest, toRedirect } from './authorize-request.ts'
import { SCOPE } from './oauth-model.ts'

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
export function grantCode(
  request: AuthorizeRequest,
  user: SandboxUser,
  { options, tokens }: SandboxCore,
): string {
  const { redirectUri, codeChallenge } = request
  const code = IssuedTokens.random()
  tokens.saveCode({
    client: toOAuthClient(options),
    spent: false,
    authorizationCode: code,
    expiresAt: new Date(Date.now() + CODE_LIFETIME_MS),
    redirectUri,
    scope: [SCOPE],
    user: IssuedTokens.familyOf(user),
    ...(codeChallenge === undefined ? {} : { codeChallenge, codeChallengeMethod: 'S256' }),
  })
  return toRedirect(request, { code })
}

import type {
  AuthorizationCodeModel,
  Client,
  ClientCredentialsModel,
  RefreshTokenModel,
  Token,
  User,
} from '@node-oauth/oauth2-server'
import type { SandboxCore } from '../delivery/sandbox-core.ts'
import { APPLICATION, USERS } from '../state/accounts.ts'
import { IssuedTokens, type TokenFamily, toOAuthClient } from '../state/issued-tokens.ts'
import type { CheckedSandboxOptions } from '../state/sandbox-options.ts'

export const SCOPE = 'all'

export type OAuthModel = AuthorizationCodeModel & ClientCredentialsModel & RefreshTokenModel

export function createOAuthModel({ options, tokens }: SandboxCore): OAuthModel {
  const client = toOAuthClient(options)
  return {
    getClient: async (id, secret) =>
      isSame(id, options.clientId, options) && isSame(secret, options.clientSecret, options) && client,
    getUserFromClient: async () => IssuedTokens.familyOf(APPLICATION),
    validateScope: async (_user: User, _client: Client, scope?: string[]) =>
      (scope ?? [SCOPE]).join(' ') === SCOPE && [SCOPE],
    generateAccessToken: async () => IssuedTokens.random(),
    generateRefreshToken: async () => IssuedTokens.random(),
    saveToken: async (token, tokenClient, user) => {
      const family = user as TokenFamily
      const saved = {
        accessToken: token.accessToken,
        accessTokenExpiresAt: new Date(Date.now() + options.tokenLifetimeSeconds * 1_000),
        // Unlike RFC 6749 recommends, the service issues a refresh token for client credentials, too.
        refreshToken: token.refreshToken ?? IssuedTokens.random(),
        scope: [SCOPE],
        client: tokenClient,
        user: family,
      }
      tokens.save(saved)
      return { ...saved, ...wireAttributes(family, options) } as Token
    },
    getAccessToken: async () => undefined,
    getRefreshToken: async (refreshToken) => tokens.refreshable(refreshToken),
    revokeToken: async ({ refreshToken }) => tokens.spendRefresh(refreshToken),
    getAuthorizationCode: async (authorizationCode) => tokens.unspentCode(authorizationCode),
    revokeAuthorizationCode: async ({ authorizationCode }) => tokens.spendCode(authorizationCode),
    saveAuthorizationCode: async () => undefined,
  }
}

/**
 * Fields that replace the server's own: it spells the type `Bearer`, and computes the lifetime from the clock,
 * which turns 3600 into 3599 after a millisecond.
 */
function wireAttributes({ accountId, userId }: TokenFamily, options: CheckedSandboxOptions) {
  const common = { token_type: 'bearer', expires_in: options.tokenLifetimeSeconds }
  if (options.mode !== 'lenient') return { ...common, account_id: Number(accountId), user_id: Number(userId) }
  // As in recorded responses.
  const user = USERS.find((one) => one.userId === userId)
  return { ...common, account_id: accountId, user_id: userId, user_name: user?.email ?? options.clientId }
}

/**
 * OAuth clients form-encode both (RFC 6749 2.3.1), the service does not. Only `strict` rejects encoded ones.
 */
function isSame(given: unknown, expected: string, { mode }: CheckedSandboxOptions): boolean {
  if (typeof given !== 'string') return false
  return given === expected || (mode !== 'strict' && formDecode(given) === expected)
}

function formDecode(text: string): string {
  return new URLSearchParams(`value=${text.replaceAll('&', '%26')}`).get('value') ?? ''
}

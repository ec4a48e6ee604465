import { Buffer } from 'node:buffer'
import { timingSafeEqual } from 'node:crypto'
import type {
  AuthorizationCodeModel,
  Client,
  ClientCredentialsModel,
  RefreshTokenModel,
  Token,
  User,
} from '@node-oauth/oauth2-server'
import type { CheckedSandboxOptions } from '../sandbox-options.ts'
import { APPLICATION } from './accounts.ts'
import { IssuedTokens, type TokenFamily } from './issued-tokens.ts'

/** The only scope there is. */
export const SCOPE = 'all'

export type OAuthModel = AuthorizationCodeModel & ClientCredentialsModel & RefreshTokenModel

/** The application as the OAuth server knows it. */
export function toOAuthClient({ clientId, redirectUris }: CheckedSandboxOptions): Client {
  return {
    id: clientId,
    redirectUris: [...redirectUris],
    grants: ['client_credentials', 'authorization_code', 'refresh_token'],
  }
}

/** What the OAuth server asks of the sandbox. */
export function createOAuthModel(options: CheckedSandboxOptions, tokens: IssuedTokens): OAuthModel {
  const client = toOAuthClient(options)
  return {
    getClient: async (id, secret) =>
      isCredential(id, options.clientId) && isCredential(secret, options.clientSecret) && client,
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
        // The server gives the client-credentials grant none, as RFC 6749 advises; the service gives one.
        refreshToken: token.refreshToken ?? IssuedTokens.random(),
        scope: [SCOPE],
        client: tokenClient,
        user: family,
      }
      tokens.save(saved)
      return { ...saved, ...wireAttributes(family, options.tokenLifetimeSeconds) } as Token
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
 * Fields of the answer beside the server's own, which they replace: it spells the type `Bearer`, and computes
 * the lifetime from the clock, which makes 3599 of 3600 when a millisecond has passed.
 */
function wireAttributes({ accountId, userId }: TokenFamily, expiresIn: number) {
  return {
    token_type: 'bearer',
    expires_in: expiresIn,
    account_id: Number(accountId),
    user_id: Number(userId),
  }
}

/** OAuth clients form-encode both (RFC 6749 2.3.1); the protocol takes them as they are. Either is taken. */
function isCredential(given: unknown, expected: string): boolean {
  return typeof given === 'string' && (isSame(given, expected) || isSame(formDecode(given), expected))
}

function formDecode(text: string): string {
  return new URLSearchParams(`value=${text.replaceAll('&', '%26')}`).get('value') ?? ''
}

function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)]
  return left.length === right.length && timingSafeEqual(left, right)
}

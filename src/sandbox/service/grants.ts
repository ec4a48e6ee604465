import { HttpError, invalid } from '../http-error.ts'
import { APPLICATION } from '../state/accounts.ts'
import { type IssuedTokens, type TokenFamily, toFamily } from '../state/issued-tokens.ts'
import type { Parameters } from './parameters.ts'

export const SCOPE = 'all'

export interface Grant {
  /** The parameters in the form and in the query, as the specification states them. */
  readonly form: readonly string[]
  readonly query: readonly string[]
  /** @throws HttpError if the code or token is invalid. If it was found, it is used up. */
  readonly run: (parameters: Parameters, tokens: IssuedTokens) => TokenFamily
}

/** The grants, by `grant_type`. */
export const GRANTS: ReadonlyMap<string, Grant> = new Map(
  Object.entries<Grant>({
    client_credentials: { form: ['grant_type', 'scope'], query: [], run: () => toFamily(APPLICATION) },
    authorization_code: {
      form: ['grant_type', 'scope', 'code', 'redirect_uri'],
      query: [],
      run: exchangeCode,
    },
    refresh_token: {
      form: ['grant_type'],
      query: ['refresh_token'],
      run: (parameters, tokens) =>
        tokens.takeRefresh(required('refresh_token', parameters)) ?? fail('The refresh token is invalid'),
    },
  }),
)

function exchangeCode(parameters: Parameters, tokens: IssuedTokens): TokenFamily {
  const redirectUri = required('redirect_uri', parameters)
  const code = tokens.takeCode(required('code', parameters)) ?? fail('The code is invalid')
  if (code.redirectUri !== redirectUri) fail('The redirect_uri is not that of the code')
  return code.family
}

function required(name: string, { [name]: value }: Parameters): string {
  if (value === undefined) throw invalid(`${name} is missing`)
  return value
}

function fail(message: string): never {
  throw new HttpError(400, message, 'invalid_grant')
}

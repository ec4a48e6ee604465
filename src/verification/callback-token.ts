import { hash, timingSafeEqual } from 'node:crypto'
import { RequestError } from '../errors.ts'
import { invalid, invalidOption } from '../option-checks.ts'

export type CallbackTokens = string | readonly string[]

const PARAMETER = 'token'
const MIN_CHARACTERS = 16

/**
 * Puts a callback token into the URL that you register with the service.
 *
 * A signature alone proves little: its key is the client id, which is visible in the authorize URL. A token
 * that only you and the service know makes the URL itself a secret. Use a long random one, such as
 * `crypto.randomUUID()`.
 *
 * @param url an absolute URL; other query parameters are kept
 * @throws TypeError if the URL is not absolute, or the token is empty
 * @example
 * withCallbackToken('https://shop.example/webhooks', token) // 'https://shop.example/webhooks?token=…'
 */
export function withCallbackToken(url: string, token: string): string {
  if (typeof token !== 'string' || token === '') throw invalid('"token"', 'a non-empty string', token)
  if (!URL.canParse(url))
    throw new TypeError('"url" must be an absolute URL, such as https://shop.example/webhooks')
  const withToken = new URL(url)
  withToken.searchParams.set(PARAMETER, token)
  return withToken.href
}

/** Creates a function that throws a `RequestError` unless the URL contains a token, exactly once. */
export function createCallbackTokenCheck(tokens: CallbackTokens | undefined) {
  // Digests, since timingSafeEqual needs equal lengths, and the length of the token must not leak.
  const known = checkTokens(tokens).map(digest)
  return (url: string): void => {
    const [given = '', ...others] = queryOf(url).getAll(PARAMETER)
    const presented = digest(others.length === 0 ? given : '')
    // Compares with every token, even after a match, so that the timing reveals nothing.
    if (known.filter((token) => timingSafeEqual(token, presented)).length > 0) return
    throw new RequestError(
      'callback_token_mismatch',
      'The URL does not contain the callback token. Did you register the URL that withCallbackToken returns, and ' +
        'does every proxy forward the query?',
    )
  }
}

/** The query of a request's URL. A sender may send a path that `URL` rejects. */
export function queryOf(url: string): URLSearchParams {
  const [withoutFragment = ''] = url.split('#', 1)
  const start = withoutFragment.indexOf('?')
  return new URLSearchParams(start === -1 ? '' : withoutFragment.slice(start))
}

function checkTokens(tokens: CallbackTokens | undefined): readonly string[] {
  const list = typeof tokens === 'string' ? [tokens] : tokens
  // A list that is split at its commas may have spaces left, which would reject all notifications.
  const isToken = (token: unknown) =>
    typeof token === 'string' && token.length >= MIN_CHARACTERS && token === token.trim()
  if (Array.isArray(list) && list.length > 0 && list.every(isToken)) return list
  // A list may have an environment variable that is not set.
  const wrong = Array.isArray(list) ? list.find((token) => !isToken(token)) : list
  const requirement = `a string of ${MIN_CHARACTERS} characters or more without spaces around it, or a list of them`
  throw invalidOption('callbackToken', requirement, wrong)
}

function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

/** A URL for a terminal, which others may see: without its password and callback token. */
export function withoutSecrets(url: string): string {
  const [address = '', query] = url.split(/\?(.*)/s)
  const shown = address.replace(/^([^/?#]*:\/\/[^/?#@:]*):[^/?#]*@/, '$1:…@')
  if (query === undefined) return shown
  // Also if the URL is invalid, or the name of the parameter is encoded.
  const isToken = (pair: string) => new URLSearchParams(pair).has('token')
  const parameters = query.split('&').map((pair) => (isToken(pair) ? 'token=…' : pair))
  return `${shown}?${parameters.join('&')}`
}

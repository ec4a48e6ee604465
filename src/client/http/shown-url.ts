/** A URL for a terminal, which others may see: without its password and callback token. */
export function withoutSecrets(url: string): string {
  // A password with a slash or a question mark makes the URL invalid.
  const password = URL.canParse(url) ? /^([^/?#]*:\/\/[^/?#@:]*):[^/?#]*@/ : /^([^/?#]*:\/\/[^/?#@:]*):.*@/s
  const [address = '', query] = url.split(/\?(.*)/s)
  // Also if the URL is invalid, or the name of the parameter is encoded.
  const isToken = (pair: string) => new URLSearchParams(pair).has('token')
  const parameters = query?.split('&').map((pair) => (isToken(pair) ? 'token=…' : pair))
  const shown = parameters === undefined ? address : `${address}?${parameters.join('&')}`
  return shown.replace(password, '$1:…@')
}

const NAMES = 'client_secret|password|ticket|code|code_verifier|(?:access_|refresh_|callback)?token'
const IN_PARAMETERS = new RegExp(`((?:^|[?&"\\s])(?:${NAMES})=)[^&#"\\s]+`, 'gi')
const IN_JSON = new RegExp(`("(?:${NAMES})"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"?`, 'gi')
const SCHEME = /^(\w+) .*/s

/** Masks the secrets in a form, a query or JSON. */
export function maskSecrets(text: string): string {
  return text.replace(IN_PARAMETERS, '$1***').replace(IN_JSON, '$1"***"')
}

/** The headers of a request, with credentials masked. */
export function maskHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    [...headers].map(([name, value]) => {
      if (name === 'authorization')
        return [name, SCHEME.test(value) ? value.replace(SCHEME, '$1 ***') : '***']
      return [name, name === 'cookie' ? '***' : maskSecrets(value)]
    }),
  )
}

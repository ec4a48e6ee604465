/** Quotes a word for a POSIX shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** Headers that curl sets by itself. */
const OWN_HEADER = /^(?:host|content-length|connection|accept-encoding|user-agent|accept)$/i

export interface CurlRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly bodyBase64: string
  /** The body as text; `undefined` if it is not UTF-8. */
  readonly text: string | undefined
}

/** Linux passes no argument of 128 KiB or more to a program. In Base64, a body is a third longer. */
const MAX_ARGUMENT = 131_072

export function toCurl({ url, headers, bodyBase64, text }: CurlRequest): string {
  // A shell word cannot contain NUL.
  const isText = text !== undefined && !text.includes('\0') && bodyBase64.length < MAX_ARGUMENT
  const parts = [`curl -i -X POST ${quote(url)}`]
  for (const [name, value] of Object.entries(headers))
    if (!OWN_HEADER.test(name)) parts.push(`-H ${quote(`${name}: ${value}`)}`)
  parts.push(isText ? `--data-raw ${quote(text)}` : '--data-binary @-')
  const command = parts.join(' \\\n  ')
  return isText ? command : `echo ${bodyBase64} | base64 -d | ${command}`
}

import type { CredentialsJson, DeliveryDetailJson } from '../../../sandbox/control/control-json.ts'
import { decodeUtf8, fromBase64 } from '../parts/bytes.ts'

/** Quotes a word for a POSIX shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** Headers that curl sets by itself. */
const OWN_HEADER = /^(?:host|content-length|connection|accept-encoding|user-agent|accept)$/i

export function deliveryCurl({
  url,
  headers,
  bodyBase64,
}: Pick<DeliveryDetailJson, 'url' | 'headers' | 'bodyBase64'>): string {
  const text = decodeUtf8(fromBase64(bodyBase64))
  // A shell word cannot contain NUL.
  const isText = text !== undefined && !text.includes('\0')
  const parts = [`curl -i -X POST ${quote(url)}`]
  for (const [name, value] of Object.entries(headers))
    if (!OWN_HEADER.test(name)) parts.push(`-H ${quote(`${name}: ${value}`)}`)
  parts.push(isText ? `--data-raw ${quote(text)}` : '--data-binary @-')
  const command = parts.join(' \\\n  ')
  return isText ? command : `echo ${bodyBase64} | base64 -d | ${command}`
}

export function signatureCommand({ bodyBase64 }: DeliveryDetailJson, clientId: string): string {
  return `echo ${bodyBase64} | base64 -d | openssl dgst -sha256 -hmac ${quote(clientId)}`
}

export function tokenCurl({ url, clientId, clientSecret }: CredentialsJson): string {
  return [
    `curl -s ${quote(`${url}/oauth/token`)}`,
    `-u ${quote(`${clientId}:${clientSecret}`)}`,
    "-H 'Accept: application/json'",
    '-d grant_type=client_credentials',
    '-d scope=all',
  ].join(' \\\n  ')
}

export function authorizeUrl({ authorizeUrl, clientId, redirectUris }: CredentialsJson): string {
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUris[0] ?? '',
    response_type: 'code',
  })
  return `${authorizeUrl}?${query}`
}

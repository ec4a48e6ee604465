import type { CredentialsJson, DeliveryDetailJson } from '../../../sandbox/control/control-json.ts'
import { quote } from '../../../testing/curl.ts'

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

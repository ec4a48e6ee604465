import { isUtf8 } from 'node:buffer'
import type { Outgoing } from './outgoing.ts'

/** The curl command that sends the exact bytes; base64 where a shell cannot quote them. */
export function toCurlCommand(url: URL, { body, signature }: Outgoing): string {
  const headers = `-H 'Content-Type: application/json' -H 'ACCESS-SIGNATURE: ${signature}'`
  const request = `curl -sS -X POST ${quote(url.href)} ${headers}`
  if (isUtf8(body) && !body.includes(0)) {
    // curl reads a file if the data begins with an @.
    const text = Buffer.from(body).toString()
    if (!text.startsWith('@')) return `${request} --data-binary ${quote(text)}`
  }
  const base64 = Buffer.from(body).toString('base64')
  return `printf '%s' '${base64}' | base64 -d | ${request} --data-binary @-`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

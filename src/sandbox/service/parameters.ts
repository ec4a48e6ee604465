import type { HonoRequest } from 'hono'
import { readBody } from './read-body.ts'

/** OAuth parameters by name; an object without a prototype, so that no name finds what was not sent. */
export type Parameters = Readonly<Record<string, string>>

/** Why parameters cannot be read. */
export class ParameterFault extends Error {}

const FORM = /^application\/x-www-form-urlencoded *(?:;|$)/i

/**
 * Reads the parameters of a request from its query and its form; a body of another kind is not looked at.
 * Clients send them in either place, some with an empty JSON body beside.
 *
 * @throws ParameterFault for a name that comes twice with different values, and for a form that is not UTF-8
 */
export async function readParameters(request: HonoRequest): Promise<Parameters> {
  const isForm = FORM.test(request.header('content-type') ?? '')
  const form = isForm ? toText(await readBody(request)) : ''
  return mergeParameters(readQuery(request), new URLSearchParams(form))
}

/** The query of a request. */
export function readQuery(request: HonoRequest): URLSearchParams {
  return new URL(request.url).searchParams
}

/**
 * Parameters of several places in one object; one without a value counts as absent (RFC 6749, 3.1).
 *
 * @throws ParameterFault for a name that comes twice with different values
 */
export function mergeParameters(...sources: URLSearchParams[]): Parameters {
  const merged: Record<string, string> = Object.create(null)
  for (const source of sources) {
    for (const [name, value] of source) {
      if (value === '') continue
      if (merged[name] !== undefined && merged[name] !== value)
        throw new ParameterFault('A parameter comes twice, with different values.')
      merged[name] = value
    }
  }
  return merged
}

function toText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ParameterFault('The form is not UTF-8.')
  }
}

import type { HonoRequest } from 'hono'
import { invalid } from '../http-error.ts'
import { readBody } from './read-body.ts'

/** OAuth parameters by name, without a prototype, so that no name is inherited. */
export type Parameters = Readonly<Record<string, string>>

const FORM = /^application\/x-www-form-urlencoded *(?:;|$)/i

/** Reads the query and the form. Other bodies are ignored, as some clients send an empty JSON body. */
export async function readParameters(request: HonoRequest, strict = false): Promise<Parameters> {
  return mergeParameters([readQuery(request), await readForm(request)], strict)
}

/** The form of a request; empty if its body is of another kind. */
export async function readForm(request: HonoRequest): Promise<URLSearchParams> {
  const isForm = FORM.test(request.header('content-type') ?? '')
  return new URLSearchParams(isForm ? toText(await readBody(request)) : '')
}

export function readQuery(request: HonoRequest): URLSearchParams {
  return new URL(request.url).searchParams
}

/**
 * Empty parameters are ignored (RFC 6749, 3.1).
 *
 * @param strict reject a repeated parameter with the same value, too
 * @throws HttpError if a name has different values
 */
export function mergeParameters(sources: readonly URLSearchParams[], strict: boolean): Parameters {
  const merged: Record<string, string> = Object.create(null)
  for (const [name, value] of sources.flatMap((source) => [...source])) {
    if (value === '') continue
    if (merged[name] !== undefined && (strict || merged[name] !== value))
      throw invalid(`A parameter ${strict ? 'is repeated' : 'has different values'}.`)
    merged[name] = value
  }
  return merged
}

function toText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalid('The form is not UTF-8.')
  }
}

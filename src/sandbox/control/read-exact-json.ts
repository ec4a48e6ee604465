import { Buffer } from 'node:buffer'
import type { HonoRequest } from 'hono'
import { ExactNumber } from '../../json/exact-number.ts'
import { isJsonObject, type JsonValue } from '../../json/json-value.ts'
import { type ParsedJson, parseJson } from '../../json/parse-json.ts'
import { assertOptions } from '../../option-checks.ts'
import { HttpError, invalid } from '../http-error.ts'
import { readBody } from '../service/read-body.ts'

// Data is copied recursively.
const MAX_DEPTH = 500
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/

/** The JSON object of a request. A number that a double cannot represent is an {@link ExactNumber}. */
export type ExactJson = Record<string, unknown>

/**
 * Reads the JSON object of a request with any content type. No body means an empty object.
 *
 * @param known the allowed fields; without it, the caller checks them
 * @throws HttpError | TypeError if it is invalid
 */
export async function readExactJson(request: HonoRequest, known?: readonly string[]): Promise<ExactJson> {
  const bytes = await readBody(request)
  const value = bytes.length === 0 ? {} : toExactValue(parse(bytes), 0)
  if (!isJsonObject(value)) throw invalid('The body must be a JSON object')
  if (known) assertOptions(value, known)
  return value
}

export function readGivenBody({ body, bodyBase64 }: ExactJson): string | Uint8Array | undefined {
  if (body !== undefined && bodyBase64 !== undefined)
    throw invalid('The body must not have both "body" and "bodyBase64"')
  if (body !== undefined && typeof body !== 'string')
    throw invalid('"body" must be a string, the exact text to send; use "data" for JSON')
  if (bodyBase64 === undefined) return body
  if (typeof bodyBase64 === 'string' && BASE64.test(bodyBase64)) return Buffer.from(bodyBase64, 'base64')
  throw invalid('"bodyBase64" must be a string in Base64')
}

function parse(bytes: Uint8Array): ParsedJson {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    throw new HttpError(400, `The body is not JSON: ${(error as Error).message}`, 'invalid_json')
  }
}

/** Combines two readings of one text. Where they differ, a number would lose digits. */
function toExactValue({ lossy, exact }: ParsedJson, depth: number): JsonValue | ExactNumber {
  if (depth > MAX_DEPTH) throw invalid(`The body nests deeper than ${MAX_DEPTH} levels; send it as "body"`)
  if (typeof lossy === 'number') return typeof exact === 'string' ? new ExactNumber(exact) : lossy
  if (typeof lossy !== 'object' || lossy === null) return lossy
  const within = (part: JsonValue, name: string | number) =>
    toExactValue(
      { lossy: part, exact: (exact as Record<string | number, JsonValue>)[name] as JsonValue },
      depth + 1,
    )
  if (Array.isArray(lossy)) return lossy.map(within) as JsonValue
  return Object.fromEntries(
    Object.entries(lossy).map(([name, part]) => [name, within(part, name)]),
  ) as JsonValue
}

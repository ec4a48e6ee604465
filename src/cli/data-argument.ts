import { InvalidArgumentError } from 'commander'
import { isJsonObject } from '../json/json-value.ts'
import { parseJson } from '../json/parse-json.ts'
import type { Overrides } from '../testing/sample-data.ts'
import { UsageError } from './errors.ts'
import { readInput } from './read-input.ts'

/** A JSON object. Numbers that JavaScript cannot represent become strings, so that they keep their digits. */
export function toData(text: string): Overrides {
  try {
    const { exact } = parseJson(text)
    if (isJsonObject(exact)) return exact
  } catch {
    // Reported below.
  }
  throw new InvalidArgumentError(`It must be a JSON object, such as '{"status":"Complete"}'.`)
}

/** The same, exactly as typed. */
export function checkData(text: string): string {
  toData(text)
  return text
}

/** JSON of fields and of data as it was typed, so that no number loses a digit. */
export function withData(fields: object, data: string | undefined): string {
  const json = JSON.stringify(fields)
  if (data === undefined) return json
  return `{"data":${data}${json === '{}' ? '' : ','}${json.slice(1)}`
}

/**
 * The request for a notification with other data, or with the exact bytes of a file.
 *
 * @throws UsageError for both; Failure if the file cannot be read
 */
export async function toNotification(
  fields: object,
  { data, body }: { readonly data?: string; readonly body?: string },
): Promise<string> {
  if (data !== undefined && body !== undefined) throw new UsageError('Give --data or --body, not both.')
  if (body === undefined) return withData(fields, data)
  return JSON.stringify({ ...fields, bodyBase64: Buffer.from(await readInput(body)).toString('base64') })
}

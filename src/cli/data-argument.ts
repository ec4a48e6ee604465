import { InvalidArgumentError } from 'commander'
import { isJsonObject } from '../json/json-value.ts'
import { parseJson } from '../json/parse-json.ts'
import type { Overrides } from '../testing/sample-data.ts'

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

/** JSON of fields and of data as it was typed, so that no number loses a digit. */
export function withData(fields: object, data: string | undefined): string {
  const json = JSON.stringify(fields)
  if (data === undefined) return json
  return `{"data":${data}${json === '{}' ? '' : ','}${json.slice(1)}`
}

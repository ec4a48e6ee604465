import { InvalidArgumentError } from 'commander'
import { isJsonObject } from '../json/json-value.ts'
import { parseJson } from '../json/parse-json.ts'
import type { Overrides } from '../testing/sample-data.ts'

/** A JSON object; numbers that JavaScript cannot hold keep their digits, as strings. */
export function toData(text: string): Overrides {
  try {
    const { exact } = parseJson(text)
    if (isJsonObject(exact)) return exact
  } catch {
    // Answered below.
  }
  throw new InvalidArgumentError(`It must be a JSON object, such as '{"status":"Complete"}'.`)
}

/** The same as it was typed, to be sent on as it is. */
export function checkData(text: string): string {
  toData(text)
  return text
}

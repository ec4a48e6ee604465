import { InvalidArgumentError } from 'commander'
import { isJsonObject } from '../json/json-value.ts'
import { parseJson } from '../json/parse-json.ts'
import { checkFaults, type SandboxFaults } from '../sandbox/state/faults.ts'
import type { Overrides } from '../testing/sample-data.ts'
import { toOwnWords } from './errors.ts'
import { suggest } from './warn-unknown.ts'

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

/** Reads faults from `duplicate=2,delayMs=500,drop` or from JSON. `none` means no faults. */
export function toFaults(text: string): SandboxFaults {
  const faults = readFaults(text)
  try {
    checkFaults(faults)
  } catch (error) {
    const message = toOwnWords(error as Error)
    const [, name = '', known] = /^"(\w+)" is not an option; .* are (.*)/.exec(message) ?? []
    throw new InvalidArgumentError(`${message}.${known ? suggest(name, known.split(', ')) : ''}`)
  }
  return faults
}

function readFaults(text: string): SandboxFaults {
  if (text === 'none') return {}
  if (text.startsWith('{')) {
    try {
      return JSON.parse(text)
    } catch {
      throw new InvalidArgumentError('It is not valid JSON.')
    }
  }
  return Object.fromEntries(text.split(',').map(toEntry))
}

function toEntry(pair: string): [string, unknown] {
  const [name = '', value] = pair.split(/=(.*)/s)
  if (!/^\w+$/.test(name))
    throw new InvalidArgumentError('It must be a list such as duplicate=2,reorder, or JSON.')
  if (value === undefined) return [name, true]
  return [name, /^\d+$/.test(value) ? Number(value) : value]
}

import { InvalidArgumentError } from 'commander'
import { checkSandboxFaults, SANDBOX_FAULTS, type SandboxFaults } from '../sandbox/service/api-faults.ts'

const NAMES = Object.keys(SANDBOX_FAULTS)

/** Reads faults from `duplicate=2,delayMs=500,drop` or from JSON. `none` means no faults. */
export function toFaults(text: string): SandboxFaults {
  const faults = readFaults(text)
  const unknown = Object.keys(faults).find((name) => !NAMES.includes(name))
  if (unknown !== undefined)
    throw new InvalidArgumentError(`${unknown} is not a fault. The faults are ${NAMES.join(', ')}.`)
  try {
    checkSandboxFaults(faults)
  } catch (error) {
    throw new InvalidArgumentError(`${(error as Error).message.replace('" option', '"')}.`)
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

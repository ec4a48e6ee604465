import { InvalidArgumentError } from 'commander'
import { checkFaults, type SandboxFaults } from '../sandbox/state/faults.ts'
import { toOwnWords } from './errors.ts'

/** Reads faults from `duplicate=2,delayMs=500,drop` or from JSON. `none` means no faults. */
export function toFaults(text: string): SandboxFaults {
  const faults = readFaults(text)
  try {
    checkFaults(faults)
  } catch (error) {
    throw new InvalidArgumentError(`${toOwnWords(error as Error)}.`)
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

import { notification } from '../support/notification.ts'

/** A body that is hard to read. */
export interface AwkwardBody {
  readonly name: string
  readonly body: Buffer
}

const { type, data } = JSON.parse(notification.toString()) as { type: string; data: string }

/** The usual notification with one change each. */
export const awkwardBodies: readonly AwkwardBody[] = [
  { name: 'the usual one', body: notification },
  { name: 'ids of 16 digits, quoted', body: stringified(data.replaceAll(/"(\w*[iI]d)":(\d+)/g, quoteId)) },
  { name: 'an amount of 17 digits', body: stringified(data.replace('1250.75', '123456789012345.67')) },
  { name: 'inline data', body: Buffer.from(`{"type":"${type}","data":${data}}`) },
  {
    name: 'inline data, an amount of 17 digits',
    body: Buffer.from(`{"type":"${type}","data":${data.replace('1250.75', '123456789012345.67')}}`),
  },
]

/** An unknown field of a given size. */
const FILLINGS: Readonly<Record<string, (bytes: number) => string>> = {
  'digits in strings': (bytes) => `[${repeat('"12345678901234567890"', ',', bytes)}]`,
  'deep nesting': (bytes) => `${'[{"in":'.repeat(bytes / 11)}1${'}]'.repeat(bytes / 11)}`,
  'arrays of numbers': (bytes) => `[${repeat('[1,22,333.5,4444,-5,66.75]', ',', bytes)}]`,
  'numbers of 17 digits': (bytes) => `[${repeat('12345678901.234567', ',', bytes)}]`,
}

/** Each filling in bodies of 1 KB, 10 KB and so on, up to a limit. */
export function linearityBodies(maxBytes: number): AwkwardBody[] {
  return Object.entries(FILLINGS).flatMap(([name, fill]) =>
    [1e3, 1e4, 1e5, 1e6]
      .filter((bytes) => bytes <= maxBytes)
      .map((bytes) => ({
        name: `${name}, ${bytes / 1000} KB`,
        body: stringified(`{"id":1,"status":"Complete","more":${fill(bytes * 0.88)}}`),
      })),
  )
}

function stringified(text: string): Buffer {
  JSON.parse(text)
  return Buffer.from(JSON.stringify({ type, data: text }))
}

function quoteId(_match: string, key: string, digits: string): string {
  return `"${key}":"${digits.padStart(16, '9')}"`
}

function repeat(text: string, separator: string, bytes: number): string {
  const times = Math.max(1, Math.round(bytes / (text.length + separator.length)))
  return Array(times).fill(text).join(separator)
}

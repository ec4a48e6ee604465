import { ok, strictEqual } from 'node:assert/strict'
import { fitsDouble } from './exact-decimal.ts'
import type { Written } from './read-json.ts'

/**
 * Asserts that a value is what was written.
 *
 * @param toNumber what becomes of a number
 */
export function assertParsed(value: unknown, written: Written, toNumber: (source: string) => unknown): void {
  switch (written.type) {
    case 'plain':
      strictEqual(value, written.value)
      return
    case 'number':
      ok(Object.is(value, toNumber(written.source)), `${value} was written as ${written.source}`)
      return
    case 'array':
      ok(Array.isArray(value))
      strictEqual(value.length, written.elements.length)
      written.elements.forEach((element, index) => void assertParsed(value[index], element, toNumber))
      return
    case 'object':
      ok(typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype)
      strictEqual(Object.keys(value).length, written.members.size)
      for (const [name, member] of written.members) {
        ok(Object.hasOwn(value, name), `the key ${JSON.stringify(name)} is missing`)
        assertParsed((value as Record<string, unknown>)[name], member, toNumber)
      }
  }
}

/** A number, or its text if a double would change it. */
export function toExactNumber(source: string): number | string {
  return fitsDouble(source) ? Number(source) : source
}

const PROTOTYPES = [Object.prototype, Array.prototype, Function.prototype, String.prototype]
const membersOf = () => PROTOTYPES.map((prototype) => Reflect.ownKeys(prototype).length).join()
const members = membersOf()

/** Asserts that nothing has been added to what every object inherits. */
export function assertUnpolluted(): void {
  strictEqual(membersOf(), members)
}

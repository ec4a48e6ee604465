/** Any value that JSON can express. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject

/** An object that JSON can express. */
export interface JsonObject {
  [key: string]: JsonValue
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a value is an object without a class. */
export function isPlainObject(value: unknown): value is object {
  if (!isJsonObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  // That of another realm has none either.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

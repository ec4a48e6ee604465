/** Any value that JSON can express. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject

/** An object that JSON can express. */
export interface JsonObject {
  [key: string]: JsonValue
}

/** Whether a JSON value is an object, neither `null` nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

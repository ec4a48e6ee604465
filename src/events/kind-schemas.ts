import { isJsonObject } from '../json/json-value.ts'
import type { StandardSchema } from './standard-schema.ts'

/** Schemas by kind of event. */
export type KindSchemas = { readonly [kind: string]: StandardSchema }

/** No custom schemas. */
export type NoKinds = Record<never, never>

/** The option for custom schemas. */
export interface KindsOption<Kinds extends KindSchemas = NoKinds> {
  /**
   * Your own schemas by kind of event, for kinds that payhook does not know or has no schema for, or to replace
   * payhook's schemas. Any synchronous Standard Schema works: zod, valibot, arktype. The output becomes
   * `event.data`; data that does not match becomes an UNRECOGNIZED event with the schema's issues. The input is
   * exact: a number that JavaScript would round is passed as its source text. An asynchronous schema throws a
   * `TypeError` at the first event of its kind. @default none
   */
  readonly kinds?: Kinds | undefined
}

/** The schemas of the `kinds` option. */
export type SchemaMap = ReadonlyMap<string, StandardSchema>

const NO_SCHEMAS: SchemaMap = new Map()

/** @throws TypeError unless the option is an object of Standard Schemas */
export function toSchemaMap(kinds: KindSchemas | undefined): SchemaMap {
  if (kinds === undefined) return NO_SCHEMAS
  if (!isJsonObject(kinds)) throw new TypeError('"kinds" option must be an object')
  const schemas = new Map<string, StandardSchema>(Object.entries(kinds))
  for (const [kind, schema] of schemas) {
    if (typeof schema?.['~standard']?.validate !== 'function') {
      throw new TypeError(
        `"kinds" option must have a Standard Schema for ${kind}, such as one from zod, valibot or arktype`,
      )
    }
  }
  if (schemas.has('UNRECOGNIZED')) {
    throw new TypeError(
      '"kinds" option must not contain UNRECOGNIZED, the type of events that match no schema',
    )
  }
  return schemas
}

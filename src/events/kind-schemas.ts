import { isPlainObject } from '../json/json-value.ts'

/** The part of a Standard Schema (https://standardschema.dev) that payhook uses. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
  }
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** One reason why a value is invalid. Some libraries add a `code`. */
export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
  readonly code?: unknown
}

export type SchemaOutput<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['output']

/** Schemas by kind of event. */
export type KindSchemas = { readonly [kind: string]: StandardSchema }

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

export type SchemaMap = ReadonlyMap<string, StandardSchema>

const NO_SCHEMAS: SchemaMap = new Map()

export function toSchemaMap(kinds: KindSchemas | undefined): SchemaMap {
  if (kinds === undefined) return NO_SCHEMAS
  // The schemas of a Map, or those that an object inherits, would have no effect.
  if (!isPlainObject(kinds)) throw new TypeError('"kinds" option must be a plain object')
  const schemas = new Map<string, StandardSchema>(Object.entries(kinds))
  for (const [kind, schema] of schemas) {
    if (typeof schema?.['~standard']?.validate !== 'function')
      throw new TypeError(
        `"kinds" option must have a Standard Schema for ${kind}, such as one from zod, valibot or arktype`,
      )
  }
  if (schemas.has('UNRECOGNIZED'))
    throw new TypeError(
      '"kinds" option must not contain UNRECOGNIZED, the type of events that match no schema',
    )
  return schemas
}

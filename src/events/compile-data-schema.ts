import * as z from 'zod/mini'
import { isJsonObject, type JsonObject } from '../json/json-value.ts'
import type { ParsedJson } from '../json/parse-json.ts'
import { accountDataSchema, accountObject, renameAliases } from './account-data.ts'
import { decimalSchema, toDecimalText } from './amount.ts'
import { text } from './fields.ts'
import { identifierSchema, toIdentifier } from './identifier.ts'

/** In place. @returns whether it matches the schema; if not, `parsed` is left half converted */
export type ConvertData = (parsed: ParsedJson) => boolean

/**
 * Compiles an exported schema, which builds a new object, into a function that works in place: it replaces the
 * numbers that the schema converts to text, then validates without copying. The result is the same at half the
 * cost.
 */
export function compileDataSchema(schema: z.core.$ZodType): ConvertData {
  const { check, convertObject } = derive(schema)
  // Without eval, as on Workers, compile returns the plain schema.
  const compiled = z.compile(check)
  return ({ lossy, exact }) =>
    (convertObject === undefined || !isJsonObject(lossy) || convertObject(lossy, exact as JsonObject)) &&
    z.validate(compiled, lossy)
}

/** Types are read from `lossy`, values from `exact`. Returns `false` if a value is invalid. */
type ConvertObject = (lossy: JsonObject, exact: JsonObject) => boolean
type ConvertValue = (lossy: string | number, exact: string | number) => string | undefined

interface Derived {
  /** The schema of the event's form. */
  readonly check: z.core.$ZodType
  readonly convertValue?: ConvertValue | undefined
  readonly convertObject?: ConvertObject | undefined
}

function derive(schema: z.core.$ZodType): Derived {
  if (schema === identifierSchema) return { check: text, convertValue: toIdentifier }
  if (schema === decimalSchema) return { check: text, convertValue: toDecimalText }
  if (schema === accountDataSchema) {
    const { check, convertObject } = deriveObject(accountObject._zod.def)
    return {
      check,
      convertObject: (lossy, exact) => convertObject(renameAliases(lossy), renameAliases(exact)),
    }
  }
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'object') return deriveObject(def)
  if (def.type !== 'optional' && def.type !== 'nullable') return { check: schema }
  const inner = derive(def.innerType)
  return { ...inner, check: def.type === 'optional' ? z.optional(inner.check) : z.nullable(inner.check) }
}

interface Field extends Omit<Derived, 'check'> {
  readonly key: string
}

function deriveObject({ shape, checks: ownChecks = [] }: z.core.$ZodObjectDef) {
  const checks: Record<string, z.core.$ZodType> = {}
  const fields: Field[] = []
  for (const [key, schema] of Object.entries(shape)) {
    const { check, convertValue, convertObject } = derive(schema)
    checks[key] = check
    if (convertValue !== undefined || convertObject !== undefined)
      fields.push({ key, convertValue, convertObject })
  }
  // `properties` validates in place, while an optional object schema copies the object.
  const check = z
    .custom(isJsonObject)
    .check(z.properties(checks), ...(ownChecks as z.core.$ZodCheck<unknown>[]))
  const convertObject: ConvertObject = (lossy, exact) => convertFields(fields, lossy, exact)
  return { check, convertObject }
}

function convertFields(fields: readonly Field[], lossy: JsonObject, exact: JsonObject): boolean {
  let fits = true
  for (let index = 0; index < fields.length; index++) {
    const { key, convertValue, convertObject } = fields[index] as Field
    const value = lossy[key]
    if (convertValue !== undefined) {
      if (typeof value !== 'number' && typeof value !== 'string') continue
      const source = exact === lossy ? value : (exact[key] as string | number)
      const converted = convertValue(value, source)
      if (converted === undefined) fits = false
      // An invalid value becomes its source text, for the schema's issue.
      const written = converted ?? String(source)
      lossy[key] = written
      if (exact !== lossy) exact[key] = written
    } else if (convertObject !== undefined && isJsonObject(value)) {
      if (!convertObject(value, exact[key] as JsonObject)) fits = false
    }
  }
  return fits
}

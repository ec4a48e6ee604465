// Reads the project's own types: as JSON Schema, and for the texts of their doc comments.

import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('../..', import.meta.url))

export type Schema = { [keyword: string]: unknown; properties?: Record<string, Schema> }

/** Types that stand for any JSON. */
const ANY = /^(?:SampleValue|JsonValue|unknown)$/

/** A program with these modules. Several documents share one, as it takes seconds. */
export function openProgram(modules: readonly string[]): ts.Program {
  const files = modules.map((module) => root + module)
  return ts.createProgram(files, {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2024.d.ts'],
    allowImportingTsExtensions: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    strict: true,
    types: [],
  })
}

export type Types = ReturnType<typeof readTypes>

/**
 * @param modules the modules of the program whose exported types can be read. An object type that they export
 *   becomes a component, named without its suffix `Json`
 */
export function readTypes(program: ts.Program, modules: readonly string[]) {
  const checker = program.getTypeChecker()
  const exported = new Map<string, ts.Type>()
  const names = new Map<ts.Type, string>()
  for (const name of modules) {
    const file = program.getSourceFile(root + name) as ts.SourceFile
    const module = checker.getSymbolAtLocation(file) as ts.Symbol
    for (const symbol of checker.getExportsOfModule(module)) {
      if ((symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias)) === 0) continue
      const type = checker.getDeclaredTypeOfSymbol(symbol)
      exported.set(symbol.name, type)
      // An alias of an interface has the name of the interface.
      const name = type.isClassOrInterface() ? type.symbol.name : symbol.name
      if (isObject(type) && !names.has(type)) names.set(type, name.replace(/Json$/, ''))
    }
  }
  if (new Set(names.values()).size < names.size) throw new Error('two types have one name')
  const components: Record<string, Schema> = {}

  function refer(type: ts.Type, component: string): Schema {
    if (components[component] === undefined) {
      components[component] = {}
      components[component] = { ...describe(type.symbol), ...toObject(type) }
    }
    return { $ref: `#/components/schemas/${component}` }
  }

  function toSchema(type: ts.Type): Schema {
    const name = names.get(type)
    if (name !== undefined) return refer(type, name)
    if (type.flags & ts.TypeFlags.Unknown || ANY.test(type.aliasSymbol?.name ?? '')) return {}
    if (type.isUnion()) return toUnion(type)
    if (type.isLiteral()) return { type: typeof type.value, const: type.value }
    if (type.flags & ts.TypeFlags.BooleanLiteral)
      return { type: 'boolean', const: checker.typeToString(type) === 'true' }
    if (type.flags & ts.TypeFlags.Null) return { type: 'null' }
    if (type.flags & ts.TypeFlags.Number) return { type: 'number' }
    // With `& {}` it is a string that has known values.
    if (type.flags & (ts.TypeFlags.String | ts.TypeFlags.Intersection)) return { type: 'string' }
    const item = checker.getIndexTypeOfType(type, ts.IndexKind.Number)
    if (item !== undefined) return { type: 'array', items: toSchema(item) }
    if (isObject(type)) return toObject(type)
    throw new Error(`${checker.typeToString(type)} has no schema`)
  }

  function toUnion(type: ts.UnionType): Schema {
    const types = type.types.filter(({ flags }) => (flags & ts.TypeFlags.Undefined) === 0)
    const literals = types.flatMap((one) =>
      one.isStringLiteral() || one.isNumberLiteral() ? [one.value] : [],
    )
    // In the order of the checker, which depends on what it has read before.
    literals.sort()
    const others = types.filter((one) => !one.isStringLiteral() && !one.isNumberLiteral())
    if (others.length === 0) return { type: typeof literals[0], enum: literals }
    const isBoolean = others.filter(({ flags }) => flags & ts.TypeFlags.BooleanLiteral).length === 2
    const schemas = [
      ...(isBoolean ? [{ type: 'boolean' }] : []),
      ...others.filter(({ flags }) => !isBoolean || !(flags & ts.TypeFlags.BooleanLiteral)).map(toSchema),
    ]
    const examples = literals.length > 0 && { examples: literals }
    if (schemas.length === 1) return { ...schemas[0], ...examples }
    const isPlain = schemas.every((schema) => Object.keys(schema).join() === 'type')
    return isPlain ? { type: schemas.map((schema) => schema.type) } : { anyOf: schemas, ...examples }
  }

  function toObject(type: ts.Type): Schema {
    if (type.isUnion()) return toUnion(type)
    const fields = checker.getPropertiesOfType(type)
    const values = checker.getIndexTypeOfType(type, ts.IndexKind.String)
    const required = fields
      .filter(({ flags }) => (flags & ts.SymbolFlags.Optional) === 0)
      .map(({ name }) => name)
    return {
      type: 'object',
      ...(fields.length > 0 && {
        properties: Object.fromEntries(
          fields.map((field) => [
            field.name,
            { ...toSchema(checker.getTypeOfSymbol(field)), ...describe(field) },
          ]),
        ),
      }),
      // The order of inherited fields depends on what the checker has read before.
      ...(required.length > 0 && { required: required.sort() }),
      additionalProperties:
        values === undefined || values.flags & ts.TypeFlags.Never ? false : toSchema(values),
    }
  }

  function describe(symbol: ts.Symbol | undefined): { description?: string; default?: unknown } {
    const text = ts.displayPartsToString(symbol?.getDocumentationComment(checker))
    const tag = symbol?.getJsDocTags(checker).find(({ name }) => name === 'default')
    const value = /^`?(-?\d+|true|false)`?$/.exec(ts.displayPartsToString(tag?.text))?.[1]
    return {
      ...(text !== '' && { description: text.replace(/\{@link (\w+)\}/g, '`$1`').replaceAll('\n', ' ') }),
      ...(value !== undefined && { default: JSON.parse(value) }),
    }
  }

  function typeOf(name: string): ts.Type {
    const type = exported.get(name)
    if (type === undefined) throw new Error(`there is no type ${name}`)
    return type
  }

  return {
    components,
    /** The schema of an exported type. */
    schemaOf: (name: string): Schema => toSchema(typeOf(name)),
    /**
     * Adds to a schema what its type says about the wire: the first sentences of the doc comments, and the known
     * values of open strings.
     */
    annotate(schema: Schema, name: string): void {
      const type = typeOf(name)
      const first = (text = '') => text.split(/(?<=\.) /, 1)[0]?.replace(', a decimal string', '')
      schema.description = first(describe(type.symbol).description)
      for (const field of type.getProperties()) {
        const target = schema.properties?.[field.name]
        if (target === undefined) continue
        const { description } = describe(field)
        if (target.$ref === undefined || !/^A decimal/.test(description ?? ''))
          target.description = description?.replace(', a decimal string', '')
        const fieldType = checker.getTypeOfSymbol(field)
        const { examples } = fieldType.isUnion() && target.type === 'string' ? toUnion(fieldType) : {}
        if (examples !== undefined) target.examples = examples
      }
    },
  }
}

function isObject(type: ts.Type): boolean {
  const parts = type.isUnion() ? type.types : [type]
  return parts.every(({ flags }) => (flags & ts.TypeFlags.Object) !== 0)
}

// The project's own types as JSON Schema, with the texts of their doc comments.

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

export class TypeSchemas {
  /** The types that were needed so far. */
  readonly components: Record<string, Schema> = {}
  readonly #checker: ts.TypeChecker
  readonly #exported = new Map<string, ts.Type>()
  readonly #names = new Map<ts.Type, string>()

  /**
   * @param modules the modules of the program whose exported types can be read. An object type that they export
   *   becomes a component, named without its suffix `Json`
   */
  constructor(program: ts.Program, modules: readonly string[]) {
    this.#checker = program.getTypeChecker()
    for (const module of modules) {
      const file = program.getSourceFile(root + module) as ts.SourceFile
      const symbol = this.#checker.getSymbolAtLocation(file) as ts.Symbol
      for (const one of this.#checker.getExportsOfModule(symbol)) this.#addExport(one)
    }
    if (new Set(this.#names.values()).size < this.#names.size) throw new Error('two types have one name')
  }

  /** The schema of an exported type. */
  of(name: string): Schema {
    return this.#toSchema(this.#typeOf(name))
  }

  /** The operations that an exported interface has as properties. Their comments have a summary, and may go on. */
  operationsOf(name: string) {
    return this.#typeOf(name)
      .getProperties()
      .map((operation) => {
        const type = this.#checker.getTypeOfSymbol(operation)
        const typeOf = (part: string) => {
          const symbol = type.getProperty(part)
          return symbol && this.#checker.getTypeOfSymbol(symbol)
        }
        const [request, response] = [typeOf('request'), typeOf('response') as ts.Type]
        const [summary, description] = this.#textOf(operation).split('  ')
        return {
          name: operation.name,
          summary,
          ...(description !== undefined && { description }),
          query: literalsOf(typeOf('query')).map(String).sort(),
          request: request && this.#toSchema(request),
          optional: isOptional(type.getProperty('request')),
          response: this.#toSchema(response),
          status: Number(literalsOf(typeOf('status'))[0] ?? 200),
        }
      })
  }

  /**
   * Adds to a schema what its type says about the wire: the first sentences of the doc comments, and the known
   * values of open strings.
   */
  annotate(schema: Schema, name: string): void {
    const type = this.#typeOf(name)
    schema.description = this.#textOf(type.symbol).split(/(?<=\.) /, 1)[0]
    for (const field of type.getProperties()) {
      const target = schema.properties?.[field.name]
      if (target === undefined) continue
      const text = this.#textOf(field)
      // What is a string in events is a number on the wire, and has a text of its own.
      if (!/^A decimal/.test(text)) target.description = text.replace(', a decimal string', '')
      const fieldType = this.#checker.getTypeOfSymbol(field)
      const { examples } = fieldType.isUnion() && target.type === 'string' ? this.#toUnion(fieldType) : {}
      if (examples !== undefined) target.examples = examples
    }
  }

  #addExport(symbol: ts.Symbol): void {
    if ((symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias)) === 0) return
    const type = this.#checker.getDeclaredTypeOfSymbol(symbol)
    this.#exported.set(symbol.name, type)
    // An alias of an interface has the name of the interface.
    const { name } = type.isClassOrInterface() ? type.symbol : symbol
    if (isObject(type) && !this.#names.has(type)) this.#names.set(type, name.replace(/Json$/, ''))
  }

  #typeOf(name: string): ts.Type {
    const type = this.#exported.get(name)
    if (type === undefined) throw new Error(`there is no type ${name}`)
    return type
  }

  #toSchema(type: ts.Type): Schema {
    const name = this.#names.get(type)
    if (name !== undefined) return this.#refer(type, name)
    const { flags } = type
    if (flags & ts.TypeFlags.Unknown || ANY.test(type.aliasSymbol?.name ?? '')) return {}
    if (type.isUnion()) return this.#toUnion(type)
    if (type.isLiteral()) return { type: typeof type.value, const: type.value }
    if (flags & ts.TypeFlags.BooleanLiteral)
      return { type: 'boolean', const: this.#checker.typeToString(type) === 'true' }
    if (flags & ts.TypeFlags.Null) return { type: 'null' }
    if (flags & ts.TypeFlags.NonPrimitive) return { type: 'object' }
    if (flags & ts.TypeFlags.Number) return { type: 'number' }
    // With `& {}` it is a string that has known values.
    if (flags & (ts.TypeFlags.String | ts.TypeFlags.Intersection)) return { type: 'string' }
    const item = this.#checker.getIndexTypeOfType(type, ts.IndexKind.Number)
    if (item !== undefined) return { type: 'array', items: this.#toSchema(item) }
    if (isObject(type)) return this.#toObject(type)
    throw new Error(`${this.#checker.typeToString(type)} has no schema`)
  }

  #refer(type: ts.Type, component: string): Schema {
    if (this.components[component] === undefined) {
      // Before its fields, which may refer to it.
      this.components[component] = {}
      this.components[component] = {
        ...this.#describe(type.symbol ?? type.aliasSymbol),
        ...this.#toObject(type),
      }
    }
    return { $ref: `#/components/schemas/${component}` }
  }

  #toUnion(type: ts.UnionType): Schema {
    const types = type.types.filter(({ flags }) => (flags & ts.TypeFlags.Undefined) === 0)
    const literals = types.flatMap((one) =>
      one.isStringLiteral() || one.isNumberLiteral() ? [one.value] : [],
    )
    // Their order depends on what the checker has read before.
    literals.sort()
    const others = types.filter((one) => !one.isStringLiteral() && !one.isNumberLiteral())
    if (others.length === 0) return { type: typeof literals[0], enum: literals }
    const [booleans, rest] = [others.filter(isBooleanLiteral), others.filter((one) => !isBooleanLiteral(one))]
    const isBoolean = booleans.length === 2
    const schemas = (isBoolean ? rest : others).map((one) => this.#toSchema(one))
    if (isBoolean) schemas.unshift({ type: 'boolean' })
    const examples = literals.length > 0 && { examples: literals }
    if (schemas.length === 1) return { ...schemas[0], ...examples }
    const isPlain = schemas.every((schema) => Object.keys(schema).join() === 'type')
    return isPlain ? { type: schemas.map((schema) => schema.type) } : { anyOf: schemas, ...examples }
  }

  #toObject(type: ts.Type): Schema {
    if (type.isUnion()) return this.#toUnion(type)
    const fields = this.#checker.getPropertiesOfType(type)
    const properties = fields.map((field) => {
      const schema = this.#toSchema(this.#checker.getTypeOfSymbol(field))
      return [field.name, { ...schema, ...this.#describe(field) }]
    })
    // The order of inherited fields depends on what the checker has read before.
    const required = fields
      .filter((field) => !isOptional(field))
      .map(({ name }) => name)
      .sort()
    const values = this.#checker.getIndexTypeOfType(type, ts.IndexKind.String)
    const isClosed = values === undefined || (values.flags & ts.TypeFlags.Never) !== 0
    return {
      type: 'object',
      ...(fields.length > 0 && { properties: Object.fromEntries(properties) }),
      ...(required.length > 0 && { required }),
      additionalProperties: isClosed ? false : this.#toSchema(values),
    }
  }

  #describe(symbol: ts.Symbol | undefined): { description?: string } {
    const tag = symbol?.getJsDocTags(this.#checker).find(({ name }) => name === 'default')
    const value = ts.displayPartsToString(tag?.text).replaceAll('`', '')
    // Not the keyword `default`, with which openapi-typescript makes the field required.
    const description = `${this.#textOf(symbol)}${value === '' ? '' : ` Default: ${value}.`}`.trim()
    return description === '' ? {} : { description }
  }

  /** The doc comment. */
  #textOf(symbol: ts.Symbol | undefined): string {
    const text = ts.displayPartsToString(symbol?.getDocumentationComment(this.#checker))
    return text.replace(/\{@link (\w+)\}/g, '`$1`').replaceAll('\n', ' ')
  }
}

/** The values of a literal type, or of a union of literals. */
function literalsOf(type: ts.Type | undefined) {
  const types = type?.isUnion() ? type.types : [type]
  return types.flatMap((one) => (one?.isLiteral() ? [one.value] : []))
}

function isOptional(symbol: ts.Symbol | undefined): boolean {
  return ((symbol?.flags ?? 0) & ts.SymbolFlags.Optional) !== 0
}

function isBooleanLiteral({ flags }: ts.Type): boolean {
  return (flags & ts.TypeFlags.BooleanLiteral) !== 0
}

function isObject(type: ts.Type): boolean {
  const parts = type.isUnion() ? type.types : [type]
  return parts.every(({ flags }) => (flags & ts.TypeFlags.Object) !== 0)
}

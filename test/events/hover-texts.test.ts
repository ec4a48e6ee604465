import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, it } from 'vitest'

const file = fileURLToPath(new URL('../../src/events/webhook-event.ts', import.meta.url))

it('every field of event data has a doc comment', () => {
  const program = ts.createProgram([file], {
    module: ts.ModuleKind.NodeNext,
    allowImportingTsExtensions: true,
    strict: true,
    types: [],
    lib: ['lib.es5.d.ts'],
  })
  const checker = program.getTypeChecker()
  const module = checker.getSymbolAtLocation(program.getSourceFile(file) as ts.SourceFile) as ts.Symbol
  const eventData = checker.getExportsOfModule(module).find(({ name }) => name === 'EventData') as ts.Symbol
  const texts = new Map<string, string>()

  function collect(type: ts.Type, path: string): void {
    for (const field of checker.getNonNullableType(type).getProperties()) {
      const name = `${path}.${field.name}`
      texts.set(name, ts.displayPartsToString(field.getDocumentationComment(checker)))
      const fieldType = checker.getTypeOfSymbol(field)
      if (checker.getNonNullableType(fieldType).flags & ts.TypeFlags.Object) collect(fieldType, name)
    }
  }
  for (const kind of checker.getDeclaredTypeOfSymbol(eventData).getProperties()) {
    const type = checker.getTypeOfSymbol(kind)
    if (type.isClassOrInterface()) collect(type, kind.name)
  }

  expect([...texts.keys()]).toContain('INBOUND_PAYMENT_STATUS_UPDATED.debitTxn.errorCode')
  expect([...texts].filter(([, text]) => text === '')).toEqual([])
})

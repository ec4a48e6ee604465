// Writes the public declarations of each subpath to `api/`, so that a change of the interface shows in a diff.
// With --check, fails if a report is not up to date. Run after `npm run build`.

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('../..', import.meta.url))
const dist = join(root, 'dist')
const folder = join(root, 'api')

/** The entries, which have no hash in their names. */
const entries = readdirSync(dist).filter((name) => /^[a-z-]+\.d\.cts$/.test(name))
const program = ts.createProgram(
  entries.map((name) => join(dist, name)),
  { module: ts.ModuleKind.NodeNext, skipLibCheck: true, types: ['node'] },
)
const checker = program.getTypeChecker()
const printer = ts.createPrinter({ removeComments: true })

/** The declarations of a symbol that the package has. */
function declarationsOf(symbol: ts.Symbol): ts.Declaration[] {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  const own = (target.declarations ?? []).filter((node) => node.getSourceFile().fileName.startsWith(dist))
  // The declaration of a variable is a part of its statement.
  return own.map((node) =>
    ts.isVariableDeclaration(node) ? (node.parent.parent as ts.Node as ts.Declaration) : node,
  )
}

function print(node: ts.Node): string {
  const source = node.getSourceFile()
  const write = (part: ts.Node) => printer.printNode(ts.EmitHint.Unspecified, part, source)
  // The compiler writes the members of an inferred union in an order that depends on other files.
  const { transformed } = ts.transform(node, [
    (context) =>
      function sortUnions(part: ts.Node): ts.Node {
        const visited = ts.visitEachChild(part, sortUnions, context)
        if (!ts.isUnionTypeNode(visited)) return visited
        const byText = new Map(visited.types.map((type) => [write(type), type]))
        return ts.factory.createUnionTypeNode(
          [...byText].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, type]) => type),
        )
      },
  ])
  return write(transformed[0] as ts.Node).replaceAll(/^(?:export |declare )+/gm, '')
}

type Names = ReadonlyMap<string, readonly ts.Node[]>

/** What an entry exports, by name. */
function exportsOf(entry: string): Names {
  const source = program.getSourceFile(join(dist, entry))
  const module = source && checker.getSymbolAtLocation(source)
  if (module === undefined) throw new Error(`dist/${entry} has no exports. Run npm run build first.`)
  return new Map(checker.getExportsOfModule(module).map((symbol) => [symbol.name, declarationsOf(symbol)]))
}

const exportsByEntry = new Map(entries.map((entry) => [entry, exportsOf(entry)]))
const exported = new Set([...exportsByEntry.values()].flatMap((names) => [...names.values()].flat()))

/** What declarations refer to, and no entry exports. */
function hiddenIn(nodes: readonly ts.Node[]): Set<ts.Node> {
  const hidden = new Set<ts.Node>()
  const visit = (node: ts.Node): void => {
    const symbol = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined
    for (const declaration of symbol ? declarationsOf(symbol) : []) {
      const isTopLevel = declaration.parent?.kind === ts.SyntaxKind.SourceFile
      if (!isTopLevel || exported.has(declaration) || hidden.has(declaration)) continue
      hidden.add(declaration)
      visit(declaration)
    }
    ts.forEachChild(node, visit)
  }
  nodes.forEach(visit)
  return hidden
}

function report(names: Names): string {
  const shown = [...names].map(([name, nodes]) => [`// ${name}`, ...nodes.map(print)].join('\n'))
  const hidden = [...hiddenIn([...names.values()].flat())].map(print)
  return `${[...shown.toSorted(), '// Not exported', ...hidden.toSorted()].join('\n\n')}\n`
}

const reports = new Map(
  [...exportsByEntry].map(([entry, names]) => [`${basename(entry, '.d.cts')}.txt`, report(names)]),
)
const kept = readdirSync(folder).filter((name) => name.endsWith('.txt'))
if (process.argv.includes('--check')) {
  const wrong = [...new Set([...kept, ...reports.keys()])].filter((name) => {
    return !kept.includes(name) || readFileSync(join(folder, name), 'utf8') !== reports.get(name)
  })
  if (wrong.length > 0) {
    console.error(
      `The interface has changed: ${wrong.join(', ')}. Run npm run build && npm run api, and commit api/.`,
    )
    process.exitCode = 1
  }
} else {
  for (const name of kept) if (!reports.has(name)) rmSync(join(folder, name))
  for (const [name, text] of reports) writeFileSync(join(folder, name), text)
}

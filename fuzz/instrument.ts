import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { COMPARISON_COUNTERS } from './coverage.ts'

const INSTRUMENTED = [new URL('../src/', import.meta.url).href, new URL('../adapters/', import.meta.url).href]
const COVERAGE_MODULE = new URL('./coverage.ts', import.meta.url).href
const HITS = '__hits'
const COMPARE = '__compare'

/** What is known of the modules that have been instrumented. */
export interface Instrumentation {
  blocks: number
  /** Text in the sources that an input may need: string literals and names of properties. */
  readonly words: Set<string>
}

/** Makes later imports of payhook's modules count in `hits` which of their blocks run. */
export function instrumentImports(): Instrumentation {
  const instrumentation: Instrumentation = { blocks: 0, words: new Set() }
  // For the stacks of errors.
  process.setSourceMapsEnabled(true)
  registerHooks({
    load(url, context, nextLoad) {
      if (!INSTRUMENTED.some((folder) => url.startsWith(folder)) || !url.endsWith('.ts'))
        return nextLoad(url, context)
      return { format: 'module', shortCircuit: true, source: instrument(fileURLToPath(url), instrumentation) }
    },
  })
  return instrumentation
}

function instrument(file: string, instrumentation: Instrumentation): string {
  const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), {
    fileName: file,
    compilerOptions: {
      target: ts.ScriptTarget.ESNext,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      inlineSourceMap: true,
    },
    transformers: { before: [(context) => (source) => countBlocks(source, context, instrumentation)] },
  })
  return `import { compare as ${COMPARE}, hits as ${HITS} } from '${COVERAGE_MODULE}';${outputText}`
}

const { factory } = ts
const SHORT_CIRCUITS = new Set([
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
])

const COMPARISONS: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.LessThanToken, '<'],
  [ts.SyntaxKind.LessThanEqualsToken, '<='],
  [ts.SyntaxKind.GreaterThanToken, '>'],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>='],
])

/** Counts every block, every expression that is only evaluated under a condition, and comparisons. */
function countBlocks(
  source: ts.SourceFile,
  context: ts.TransformationContext,
  instrumentation: Instrumentation,
): ts.SourceFile {
  const increment = () =>
    factory.createPostfixIncrement(
      factory.createElementAccessExpression(factory.createIdentifier(HITS), instrumentation.blocks++),
    )
  const counted = () => factory.createExpressionStatement(increment())
  const countedExpression = (expression: ts.Expression) =>
    factory.createParenthesizedExpression(factory.createComma(increment(), expression))

  function visit(node: ts.Node): ts.Node {
    collectWord(node, instrumentation.words)
    const copy = ts.visitEachChild(node, visit, context)
    if (ts.isBlock(copy)) return factory.createBlock([counted(), ...copy.statements], true)
    if (ts.isCaseClause(copy))
      return factory.updateCaseClause(copy, copy.expression, [counted(), ...copy.statements])
    if (ts.isDefaultClause(copy)) return factory.updateDefaultClause(copy, [counted(), ...copy.statements])
    if (ts.isIfStatement(copy)) return countIf(copy)
    if (ts.isArrowFunction(copy) && !ts.isBlock(copy.body)) {
      const { modifiers, typeParameters, parameters, type, equalsGreaterThanToken: arrow, body } = copy
      const counting = countedExpression(body)
      return factory.updateArrowFunction(copy, modifiers, typeParameters, parameters, type, arrow, counting)
    }
    if (ts.isConditionalExpression(copy)) {
      const { condition, questionToken, whenTrue, colonToken, whenFalse } = copy
      const [first, second] = [countedExpression(whenTrue), countedExpression(whenFalse)]
      return factory.updateConditionalExpression(copy, condition, questionToken, first, colonToken, second)
    }
    if (ts.isBinaryExpression(copy) && SHORT_CIRCUITS.has(copy.operatorToken.kind as never)) {
      const { left, operatorToken, right } = copy
      return factory.updateBinaryExpression(copy, left, operatorToken, countedExpression(right))
    }
    const comparison = ts.isBinaryExpression(copy) ? COMPARISONS.get(copy.operatorToken.kind) : undefined
    if (comparison !== undefined) return countComparison(copy as ts.BinaryExpression, comparison)
    return copy
  }

  function countComparison({ left, right }: ts.BinaryExpression, operator: string): ts.Expression {
    const counter = factory.createNumericLiteral(instrumentation.blocks)
    instrumentation.blocks += COMPARISON_COUNTERS
    const call = factory.createElementAccessExpression(
      factory.createIdentifier(COMPARE),
      factory.createStringLiteral(operator),
    )
    return factory.createCallExpression(call, undefined, [counter, left, right])
  }

  /** Counts the condition that was not met, too. */
  function countIf(statement: ts.IfStatement): ts.Statement {
    const { expression, thenStatement, elseStatement } = statement
    const toBlock = (branch: ts.Statement) =>
      ts.isBlock(branch) ? branch : factory.createBlock([counted(), branch], true)
    const otherwise = elseStatement === undefined ? factory.createBlock([counted()]) : toBlock(elseStatement)
    return factory.updateIfStatement(statement, expression, toBlock(thenStatement), otherwise)
  }

  return ts.visitEachChild(source, visit, context)
}

const MAX_WORD = 40

function collectWord(node: ts.Node, words: Set<string>): void {
  const isName = ts.isPropertyAssignment(node) && ts.isIdentifier(node.name)
  const text = isName ? (node.name as ts.Identifier).text : ts.isStringLiteral(node) ? node.text : ''
  if (text.length > 1 && text.length <= MAX_WORD && !text.endsWith('.ts')) words.add(text)
}

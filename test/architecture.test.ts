import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

interface Source {
  readonly file: string
  readonly text: string
  readonly imports: readonly { readonly from: string; readonly typeOnly: boolean }[]
}

const sources = filesBelow('src', 'adapters').map(toSource)

/** The layers, lowest first. A file imports from its own layer and those below. */
const LAYERS: readonly RegExp[] = [
  /^src\/json\//,
  // Not the entries, which re-export higher layers.
  /^src\/(?!index\.ts|parse\.ts)[^/]+$/,
  /^src\/events\//,
  /^src\/notification\//,
  /^src\/verification\//,
  /^src\/receiver\//,
  /^src\/reconcile\//,
  /^src\/parse\.ts$/,
  /^src\/inbox\//,
  /^src\/index\.ts$/,
  /^src\/client\//,
  /^src\/testing\//,
  // An engine: the form of what it stores, the functions of its database, what calls them, and its entry.
  /^adapters\/inbox\/\w+\/(?:schema|row|job|attempts|scripts)\.ts$/,
  /^adapters\/inbox\/\w+\/(?:[\w-]*functions|migrations)\.ts$/,
  /^adapters\/(?!inbox\/(\w+)\/\1-inbox\.ts$)/,
  /^adapters\/inbox\//,
  /^src\/sandbox\/http-error\.ts$/,
  /^src\/sandbox\/state\//,
  // What users see of it.
  /^src\/sandbox\/sandbox\.ts$/,
  /^src\/sandbox\/events\//,
  /^src\/sandbox\/delivery\//,
  /^src\/sandbox\/service\//,
  /^src\/sandbox\/control\//,
  /^src\/sandbox\/(?!(?:create-sandbox|index)\.ts$)/,
  /^src\/console\//,
  // It has a page.
  /^src\/sandbox\/(?:create-sandbox|index)\.ts$/,
  /^examples\//,
  /^src\/cli\//,
]

/** Layers that must not import each other, although one is above the other. */
const APART: readonly (readonly [file: RegExp, target: RegExp])[] = [
  [/^src\/client\//, /^src\/inbox\//],
  [/^src\/testing\//, /^src\/(?:client|inbox)\//],
  [/^adapters\/http\//, /^adapters\/(?!http\/)/],
  [/^adapters\/inbox\//, /^adapters\/(?!inbox\/)/],
  [/^adapters\/telemetry\//, /^adapters\/(?!telemetry\/)/],
  [/^adapters\/inbox\/sqlite\//, /^adapters\/inbox\/(?!sqlite\/)/],
  [/^adapters\/inbox\/bullmq\//, /^adapters\/inbox\/(?!bullmq\/)/],
  [/^adapters\/inbox\/postgres\//, /^adapters\/inbox\/(?!postgres\/)/],
  [/^src\/cli\//, /^src\/console\/page\//],
]

/** What a file may import from outside the package. Type imports are free. */
const OUTSIDE: readonly { readonly files: RegExp; readonly may: readonly string[] }[] = [
  { files: /^src\/inbox\//, may: ['node:buffer', 'node:crypto', 'node:timers/promises'] },
  { files: /^src\/replace-file\.ts/, may: ['node:fs/promises', 'node:path'] },
  {
    files: /^src\/client\/tokens\/file-token-store\.ts/,
    may: ['node:fs/promises', 'node:path', 'node:sqlite'],
  },
  { files: /^src\/client\//, may: ['zod/mini', 'node:buffer'] },
  // The build turns the page's sources into a string.
  { files: /^src\/console\/bundle-page\.ts/, may: ['esbuild', 'node:url'] },
  { files: /^src\/console\/node-listener\.ts/, may: ['@hono/node-server'] },
  { files: /^src\/console\/page\//, may: ['preact', 'preact/hooks', '@preact/signals'] },
  {
    files: /^src\/sandbox\//,
    may: [
      'hono',
      'hono/html',
      '@hono/node-server',
      'zod/mini',
      'node:buffer',
      'node:crypto',
      'node:events',
      'node:fs',
      'node:http',
      'node:https',
    ],
  },
  {
    files: /^src\/cli\//,
    may: [
      'commander',
      'node:buffer',
      'node:dns/promises',
      'node:events',
      'node:fs/promises',
      'node:http',
      'node:https',
      'node:module',
      'node:os',
      'node:path',
      'node:readline/promises',
      'node:stream/consumers',
      'node:timers/promises',
      'node:url',
      'node:util',
    ],
  },
  {
    files: /^src\/testing\/check\//,
    may: [
      'node:buffer',
      'node:crypto',
      'node:dns',
      'node:http',
      'node:https',
      'node:net',
      'node:querystring',
      'node:timers/promises',
      'node:zlib',
    ],
  },
  { files: /^src\//, may: ['zod/mini', 'node:crypto', 'node:buffer'] },
  { files: /^adapters\/http\/(?:fetch|lambda)\.ts/, may: ['node:buffer'] },
  { files: /^adapters\/http\/fastify\.ts/, may: ['node:stream'] },
  { files: /^adapters\/http\/node-request\.ts/, may: ['raw-body', 'node:stream/promises'] },
  {
    files: /^adapters\/inbox\/sqlite\//,
    may: ['node:sqlite', 'node:fs', 'node:path', 'node:crypto', 'node:timers/promises'],
  },
  {
    files: /^adapters\/inbox\/bullmq\//,
    may: ['bullmq', 'node:buffer', 'node:crypto', 'node:timers/promises'],
  },
  {
    files: /^adapters\/inbox\/postgres\//,
    may: ['pg', 'node:buffer', 'node:crypto', 'node:timers/promises'],
  },
  { files: /^adapters\/telemetry\/opentelemetry\//, may: ['@opentelemetry/api'] },
]

it('has imports that point one way, without cycles', () => {
  expect(sources.map(({ file }) => file)).toContain('src/receiver/receiver.ts')
  const wrong = sources.flatMap(({ file }) =>
    importsOf(file)
      .filter((target) => layerOf(target) > layerOf(file) || isApart(file, target))
      .map((target) => `${file} imports ${target}`),
  )
  expect([...wrong, ...circles()]).toEqual([])
})

it('loads neither a client nor an inbox with the package', () => {
  const entries = sources.filter(({ file }) => /^src\/(?:index|parse)\.ts$/.test(file))
  const loaded = entries.flatMap(({ imports }) => imports.filter(({ typeOnly }) => !typeOnly))
  expect(loaded.filter(({ from }) => /^\.\/(?:client|inbox)\//.test(from))).toEqual([])
})

it('imports only allowed modules', () => {
  const wrong = sources.flatMap(({ file, imports }) => {
    const allowed = OUTSIDE.find(({ files }) => files.test(file))?.may ?? []
    return imports
      .filter(({ from, typeOnly }) => !from.startsWith('.') && !typeOnly && !allowed.includes(from))
      .map(({ from }) => `${file} loads ${from}${builtinModules.includes(from) ? ' without node:' : ''}`)
  })
  expect(wrong).toEqual([])
})

it('has oracles that use nothing of what they judge', () => {
  const wrong = filesBelow('fuzz/oracles')
    .map(toSource)
    .filter(({ imports }) => imports.some(({ from }) => !/^(?:node:|\.\/)/.test(from)))
  expect(wrong).toEqual([])
})

it('has short files with proper names', () => {
  const wrong = [
    ...sources,
    ...filesBelow('test', 'bench', 'examples', 'fuzz', 'scripts').map(toSource),
  ].flatMap(({ file, text }) => {
    const lines = text.split('\n')
    const faults = []
    if (!/(?:\.test|-suite)\.ts$/.test(file) && lines.length > 301) faults.push('has more than 300 lines')
    if (
      !/^(?:[a-z0-9]+(?:-[a-z0-9]+)*\/)*[a-z0-9]+(?:-[a-z0-9]+)*(?:(?:\.integration|\.long)?\.test|\.test-d)?\.tsx?$/.test(
        file,
      )
    )
      faults.push('is not in kebab-case')
    if (/(?:utils?|helpers?|types|common|misc)\.tsx?$/.test(file)) faults.push('has a name that says nothing')
    if (/^export \*/m.test(text)) faults.push('re-exports everything')
    return faults.map((fault) => `${file} ${fault}`)
  })
  expect(wrong).toEqual([])
})

it('has tests that open an engine only where describeWithService has found its server', () => {
  const tests = filesBelow('test').map(toSource)
  const addresses = tests
    .filter(({ file }) => file !== 'test/contracts/service.ts' && !file.startsWith('test/effects/recipes/'))
    .filter(({ text }) => /env\.(?:REDIS_URL|DATABASE_URL)|:\/\/\S*:(?:6379|5432)\b/.test(text))
    .map(({ file }) => `${file} knows the address of an engine`)
  expect([...addresses, ...tests.flatMap(enginesOutsideTheirService)]).toEqual([])
})

function filesBelow(...folders: string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name))),
  )
}

function toSource(file: string): Source {
  const text = readFileSync(join(root, file), 'utf8')
  const statements = text.matchAll(
    /^(?:import|export)\s+(type\s)?[^'"]*?from\s+'([^']+)'|^import\s+'([^']+)'|import\('([^']+)'\)|new URL\('([^']+)', import\.meta\.url\)/gm,
  )
  const imports = [...statements].map(([, type, from, bare, dynamic, url]) => ({
    from: from ?? bare ?? dynamic ?? (url === undefined ? '' : `./${url}`),
    typeOnly: type !== undefined,
  }))
  return { file, text, imports }
}

/** The project's own files that a file imports. */
function importsOf(file: string): string[] {
  const imports = sources.find((source) => source.file === file)?.imports ?? []
  return imports.flatMap(({ from }) => (from.startsWith('.') ? [posix.join(posix.dirname(file), from)] : []))
}

/** Where tests use an engine, but not inside describeWithService. */
function enginesOutsideTheirService({ file, text }: Source): string[] {
  if (!/\b(?:REDIS|POSTGRES|TEST_INBOXES)\b/.test(text)) return []
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest)
  const found: string[] = []
  function visit(node: ts.Node): void {
    const code = node.getText(source)
    if (/^describeWithService\(|^TEST_INBOXES\.sqlite\b/.test(code)) return
    if (/^(?:REDIS|POSTGRES|TEST_INBOXES)$/.test(code)) {
      found.push(`${file}:${source.getLineAndCharacterOfPosition(node.end).line + 1} uses ${code}`)
    }
    ts.forEachChild(node, visit)
  }
  for (const statement of source.statements) {
    if (ts.isExpressionStatement(statement) || ts.isIterationStatement(statement, false)) visit(statement)
  }
  return found
}

function layerOf(file: string): number {
  const layer = LAYERS.findIndex((holds) => holds.test(file))
  if (layer < 0) throw new Error(`${file} is in no layer`)
  return layer
}

function isApart(file: string, target: string): boolean {
  return APART.some(([from, to]) => from.test(file) && to.test(target))
}

function circles(): string[] {
  const found: string[] = []
  const done = new Set<string>()
  function visit(file: string, path: readonly string[]): void {
    const start = path.indexOf(file)
    if (start >= 0) found.push([...path.slice(start), file].join(' -> '))
    if (start >= 0 || done.has(file)) return
    for (const target of importsOf(file)) visit(target, [...path, file])
    done.add(file)
  }
  for (const { file } of sources) visit(file, [])
  return found
}

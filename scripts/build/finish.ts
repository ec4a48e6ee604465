// Finishes what tsup has built: converts and minifies modules, and bundles what both formats share.

import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type BuildOptions,
  build,
  type Metafile,
  type Plugin,
  type TransformOptions,
  transformSync,
} from 'esbuild'
import { TYPED } from './entries.ts'
import { toLicenses } from './licenses.ts'
import { shareBundles, sharePages, withoutMimeTypes } from './share-files.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const COMMON = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node22',
  charset: 'utf8',
  legalComments: 'none',
  // Node prints the whole line that throws.
  lineLimit: 160,
  metafile: true,
} satisfies BuildOptions

/** What is only used while developing. */
const TOOL = /^(?:src\/(?:sandbox|console|cli)\/|examples\/|node_modules\/commander\/)/
/** Jest has no import() in CommonJS. */
const WITHOUT_IMPORT = { 'dynamic-import': false }

const { outputs, inputs: bundled }: Metafile = JSON.parse(readDist('metafile-esm.json'))
const inputs = new Set(Object.keys(bundled))
rmSync(join(root, 'dist/metafile-esm.json'))
for (const name of readdirSync(join(root, 'dist'))) if (/\.c?js$/.test(name)) finish(name)
await writeBundles()
for (const name of readdirSync(join(root, 'dist')))
  if (/\.c?js$/.test(name)) writeDist(name, joinTexts(readDist(name)))
// An ES module has the declarations of the CommonJS one: every declaration stands in the package once.
for (const name of Object.keys(TYPED)) writeDist(`${name}.d.ts`, `export * from './${name}.cjs'\n`)
writeDist('openapi.json', readDocument('service'))
writeDist('sandbox-openapi.json', readDocument('control'))
writeDist('sandbox.js', "export { createSandbox } from './sandbox.cjs'\n")
chmodSync(join(root, 'dist/cli.js'), 0o755)
writeDist('THIRD_PARTY_LICENSES', await toLicenses(root, [...inputs]))

function writeDist(name: string, text: string): void {
  writeFileSync(join(root, 'dist', name), text)
}

function readDist(name: string): string {
  return readFileSync(join(root, 'dist', name), 'utf8')
}

function readDocument(name: string): string {
  return JSON.stringify(
    JSON.parse(readFileSync(join(root, `src/sandbox/openapi/${name}-openapi.json`), 'utf8')),
  )
}

/**
 * ES modules stay readable, except for those of tools, but lose the comments that are left. CommonJS modules, which
 * only Jest and Node before 22.12 load, are minified, but for the names that stack traces need most: those outside of
 * functions.
 */
function finish(name: string): void {
  const isTool = isMostlyTool(outputs[`dist/${name}`]?.inputs ?? {})
  // Chunks have no side effects, and a bundler warns if it finds them imported for some.
  const code = readDist(name).replaceAll(/^import "\.\/chunk-\w+\.c?js";\n/gm, '')
  writeDist(name, name.endsWith('.cjs') ? toCommonJs(code) : isTool ? minify(code) : withoutComments(code))
}

function isMostlyTool(inputs: Metafile['outputs'][string]['inputs']): boolean {
  const lengths = Object.entries(inputs).map(([path, { bytesInOutput }]) =>
    TOOL.test(path) ? bytesInOutput : -bytesInOutput,
  )
  return lengths.reduce((sum, length) => sum + length, 0) > 0
}

function toCommonJs(code: string): string {
  const cjs = minify(code, { format: 'cjs', minifyIdentifiers: false, supported: WITHOUT_IMPORT })
  // esbuild takes it for a script now, whose names outside of functions it keeps. Joined, its statements are no CommonJS
  // for publint, which only looks for patterns.
  return minify(cjs, { minifySyntax: false })
}

function minify(code: string, options: TransformOptions = {}): string {
  const { platform, charset, legalComments, lineLimit } = COMMON
  const all = { minifyWhitespace: true, minifySyntax: true, minifyIdentifiers: true }
  return transformSync(code, { platform, charset, legalComments, lineLimit, ...all, ...options }).code
}

/** esbuild breaks long texts, and Rollup's plugin for CommonJS indents every line, also within such a text. */
function joinTexts(code: string): string {
  return code.replaceAll(/(?<!\\)((?:\\\\)*)\\\n/g, '$1')
}

/** @throws if that changes the code, because a text has such a line */
function withoutComments(code: string): string {
  const stripped = code.replaceAll(/^ *(?:\/\/[^\n]*|\/\*\*.*?\*\/)\n/gms, '')
  if (minify(stripped) !== minify(code)) throw new Error('A text looks like a comment.')
  return stripped
}

/**
 * Writes what both formats import, as CommonJS: what is only used while developing, with what only that depends on, so
 * that an install does not bring it, and what runs in Redis and PostgreSQL.
 */
async function writeBundles(): Promise<void> {
  await writeBundle('hono', [
    `export { Hono } from 'hono'`,
    `export { html, raw } from 'hono/html'`,
    `export { createAdaptorServer, getRequestListener } from '@hono/node-server'`,
  ])
  const check = ['check-cases', 'prepare-check'].map((name) => `src/testing/check/${name}`)
  await writeBundle('check', check.map(exportAll))
  const explain = ['explain-signature', 'rewritten-bodies'].map((name) => `src/testing/${name}`)
  await writeBundle('explain', explain.map(exportAll))
  await writeBundle('sandbox', [exportAll('src/sandbox/index')], [shareBundles, sharePages])
  await writeBundle('lua', [exportAll('adapters/inbox/bullmq/scripts')])
  await writeBundle('sql', [exportAll('adapters/inbox/postgres/functions')])
}

function exportAll(module: string): string {
  return `export * from './${module}.ts'`
}

async function writeBundle(name: string, exports: readonly string[], plugins: Plugin[] = []): Promise<void> {
  const { metafile } = await build({
    ...COMMON,
    stdin: { contents: exports.join('\n'), resolveDir: root },
    outfile: `dist/${name}.cjs`,
    format: 'cjs',
    external: ['zod'],
    supported: WITHOUT_IMPORT,
    minify: true,
    plugins: [withoutMimeTypes, ...plugins],
  })
  addInputs(metafile)
}

function addInputs({ inputs: more }: Metafile): void {
  for (const input of Object.keys(more)) inputs.add(input)
}

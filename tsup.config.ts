import { writeFileSync } from 'node:fs'
import { defineConfig, type Options } from 'tsup'
import { shareBundles, shareDocuments, sharePages } from './scripts/build/share-files.ts'

/** Chunks have no side effects, and a bundler warns if it finds them imported for some. */
const withoutBareImports: NonNullable<Options['plugins']>[number] = {
  name: 'without-bare-imports',
  renderChunk: (code) => ({ code: code.replaceAll(/^import "\.\/chunk-\w+\.js";\n/gm, '') }),
}

const http = (name: string) => `adapters/http/${name}.ts`
const inbox = (name: string) => `adapters/inbox/${name}/${name}-inbox.ts`

const entry = {
  index: 'src/index.ts',
  express: http('express'),
  koa: http('koa'),
  node: http('node'),
  fetch: http('fetch'),
  lambda: http('lambda'),
  fastify: http('fastify'),
  sqlite: inbox('sqlite'),
  bullmq: inbox('bullmq'),
  postgres: inbox('postgres'),
  client: 'src/client/index.ts',
  console: 'src/console/index.ts',
  opentelemetry: 'adapters/telemetry/opentelemetry/opentelemetry.ts',
  testing: 'src/testing/index.ts',
}

const common: Options = {
  entry,
  target: 'node22',
  // Shared chunks, so that every subpath has the same classes.
  splitting: true,
  // Workers and Deno only know built-in modules with the node: prefix.
  removeNodeProtocol: false,
  esbuildPlugins: [shareBundles, sharePages, shareDocuments],
  plugins: [withoutBareImports],
  metafile: true,
}

/** The sandbox is a bundle of `scripts/build/bundle-tools.ts`. */
const typed = { ...entry, sandbox: 'src/sandbox/index.ts' }

/** An ES module has the declarations of the CommonJS one: every declaration stands in the package once. */
async function writeDeclarations(): Promise<void> {
  for (const name of Object.keys(typed)) writeFileSync(`dist/${name}.d.ts`, `export * from './${name}.cjs'\n`)
  writeFileSync('dist/sandbox.js', "export { createSandbox } from './sandbox.cjs'\n")
}

export default defineConfig([
  { ...common, entry: { ...entry, cli: 'src/cli/main.ts' }, format: 'esm', onSuccess: writeDeclarations },
  // An ES module only, which require() accepts from Node 22.12 on. The CommonJS build bundles it for 22.0.
  { ...common, format: 'cjs', noExternal: ['raw-body'], dts: { entry: typed } },
])

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { defineConfig, type Options } from 'tsup'
import { bundlePage } from './src/console/bundle-page.ts'

type Plugin = NonNullable<Options['esbuildPlugins']>[number]

/** Imports the files of `scripts/build/bundle-dependencies.ts`, which both formats share. */
const shareDependencies: Plugin = {
  name: 'share-dependencies',
  setup({ onResolve }) {
    onResolve({ filter: /^@?hono\b/ }, () => ({ path: './hono.cjs', external: true }))
    onResolve({ filter: /^@node-oauth\b/ }, () => ({ path: './oauth2-server.cjs', external: true }))
  },
}

/** The console's pages: their module bundles them in the repository, and imports the bundle in the package. */
const sharePages: Plugin = {
  name: 'share-pages',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\/page\.cjs$/ }, ({ path }) => ({ path, external: true }))
    onLoad({ filter: /\/bundle-page\.ts$/ }, async () => {
      mkdirSync('dist', { recursive: true })
      writeFileSync('dist/page.cjs', `module.exports = ${JSON.stringify(await bundlePage())}\n`)
      return { contents: `import page from './page.cjs'\nexport async function bundlePage() { return page }` }
    })
  },
}

/** The OpenAPI documents, which are files of the package, and which both formats share. */
const shareDocuments: Plugin = {
  name: 'share-documents',
  setup({ onResolve }) {
    onResolve({ filter: /-openapi\.json$/ }, ({ path, resolveDir }) => {
      const name = basename(path).replace('service-', '').replace('control-', 'sandbox-')
      mkdirSync('dist', { recursive: true })
      writeFileSync(`dist/${name}`, JSON.stringify(JSON.parse(readFileSync(join(resolveDir, path), 'utf8'))))
      return { path: `./${name}`, external: true }
    })
  },
}

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
  sandbox: 'src/sandbox/index.ts',
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
  esbuildPlugins: [sharePages, shareDependencies, shareDocuments],
  plugins: [withoutBareImports],
  metafile: true,
}

/** An ES module has the declarations of the CommonJS one: every declaration stands in the package once. */
async function writeDeclarations(): Promise<void> {
  for (const name of Object.keys(entry)) writeFileSync(`dist/${name}.d.ts`, `export * from './${name}.cjs'\n`)
}

export default defineConfig([
  { ...common, entry: { ...entry, cli: 'src/cli/main.ts' }, format: 'esm', onSuccess: writeDeclarations },
  // An ES module only, which require() accepts from Node 22.12 on. The CommonJS build bundles it for 22.0.
  { ...common, format: 'cjs', noExternal: ['raw-body'], dts: true },
])

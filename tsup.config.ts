import { isBuiltin } from 'node:module'
import { defineConfig, type Options } from 'tsup'

type Plugin = NonNullable<Options['esbuildPlugins']>[number]

/**
 * For the server and the OAuth library that are bundled into the sandbox, so that an install need not bring
 * them.
 */
const bundleDependencies: Plugin = {
  name: 'bundle-dependencies',
  setup({ initialOptions, onResolve, onLoad }) {
    // Bundled CommonJS packages call require() for Node's modules, which an ES module can only import.
    onResolve({ filter: /./ }, ({ kind, path }) =>
      initialOptions.format === 'esm' && kind === 'require-call' && isBuiltin(path)
        ? { path, namespace: 'builtin' }
        : undefined,
    )
    onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => {
      const name = path.startsWith('node:') ? path : `node:${path}`
      return { contents: `export * from '${name}'` }
    })
    // 180 KB to look up content types by file extension, which is not used here.
    onLoad({ filter: /mime-db.db\.json$/ }, () => ({ contents: '{}', loader: 'json' }))
  },
}

/** The console's pages: their modules bundle them in the repository, and contain them in the package. */
const embedPages: Plugin = {
  name: 'embed-pages',
  setup({ onLoad }) {
    onLoad({ filter: /\/read-(?:sandbox|inbox)-page\.ts$/ }, async ({ path }) => {
      const functions: [string, () => Promise<object>][] = Object.entries(await import(path))
      const contents = functions.map(
        async ([name, read]) => `export async function ${name}() { return ${JSON.stringify(await read())} }`,
      )
      return { contents: (await Promise.all(contents)).join('\n') }
    })
  },
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
  'pg-boss': inbox('pg-boss'),
  client: 'src/client/index.ts',
  sandbox: 'src/sandbox/index.ts',
  console: 'src/console/index.ts',
  testing: 'src/testing/index.ts',
}

const common: Options = {
  entry,
  target: 'node22',
  dts: true,
  // Shared chunks, so that every subpath has the same classes.
  splitting: true,
  // Workers and Deno only know built-in modules with the node: prefix.
  removeNodeProtocol: false,
  esbuildPlugins: [embedPages, bundleDependencies],
  metafile: true,
}

export default defineConfig([
  { ...common, entry: { ...entry, cli: 'src/cli/main.ts' }, dts: { entry }, format: 'esm' },
  // An ES module only, which require() accepts from Node 22.12 on. The CommonJS build bundles it for 22.0.
  { ...common, format: 'cjs', noExternal: ['raw-body'] },
])

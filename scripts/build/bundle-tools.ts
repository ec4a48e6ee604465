// Bundles what is only used while developing, with what only that depends on, so that an install does not bring
// it: into CommonJS, which both formats of the package can import.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { shareBundles, shareDocuments, sharePages } from './share-files.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** 180 KB to look up content types by file extension, which is not used here. */
const withoutMimeTypes: Plugin = {
  name: 'without-mime-types',
  setup: ({ onLoad }) => onLoad({ filter: /mime-db.db\.json$/ }, () => ({ contents: '{}', loader: 'json' })),
}

await bundle('hono', ['hono', 'hono/html', 'hono/http-exception', '@hono/node-server'])
const check = ['check-cases', 'prepare-check', 'resolve-target']
await bundle(
  'check',
  check.map((name) => `./src/testing/check/${name}.ts`),
)
await bundle('sandbox', ['./src/sandbox/index.ts'], [shareBundles, sharePages, shareDocuments])

async function bundle(name: string, modules: readonly string[], plugins: Plugin[] = []): Promise<void> {
  const { metafile } = await build({
    stdin: { contents: modules.map((each) => `export * from '${each}'`).join('\n'), resolveDir: root },
    absWorkingDir: root,
    outfile: join(root, `dist/${name}.cjs`),
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node22',
    external: ['zod'],
    // Jest has no import() in CommonJS.
    supported: { 'dynamic-import': false },
    minify: true,
    legalComments: 'none',
    metafile: true,
    plugins: [withoutMimeTypes, ...plugins],
  })
  writeFileSync(join(root, `dist/metafile-${name}.json`), JSON.stringify(metafile))
}

// Bundles what only the sandbox and the console depend on, so that an install does not bring it: into CommonJS,
// which both formats of the package can import.

import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

const root = fileURLToPath(new URL('../..', import.meta.url))
const require = createRequire(import.meta.url)

/** 180 KB to look up content types by file extension, which is not used here. */
const withoutMimeTypes: Plugin = {
  name: 'without-mime-types',
  setup: ({ onLoad }) => onLoad({ filter: /mime-db.db\.json$/ }, () => ({ contents: '{}', loader: 'json' })),
}

await bundle('hono', ['hono', 'hono/html', 'hono/http-exception', '@hono/node-server'].map(exportAll))
// The names that Node finds in a CommonJS module when an ES module imports it.
const names = Object.keys(require('@node-oauth/oauth2-server'))
await bundle(
  'oauth2-server',
  ["module.exports = require('@node-oauth/oauth2-server')"],
  `0 && (module.exports = { ${names} })`,
)

async function bundle(name: string, lines: readonly string[], footer = ''): Promise<void> {
  const { metafile } = await build({
    stdin: { contents: lines.join('\n'), resolveDir: root },
    absWorkingDir: root,
    outfile: join(root, `dist/${name}.cjs`),
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node22',
    minify: true,
    legalComments: 'none',
    footer: { js: footer },
    metafile: true,
    plugins: [withoutMimeTypes],
  })
  writeFileSync(join(root, `dist/metafile-${name}.json`), JSON.stringify(metafile))
}

function exportAll(name: string): string {
  return `export * from '${name}'`
}

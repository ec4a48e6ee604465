import { mkdirSync, writeFileSync } from 'node:fs'
import type { Plugin } from 'esbuild'
import { bundlePage } from '../../src/console/bundle-page.ts'

/** What `finish.ts` bundles into CommonJS. ES modules can import that, too, so it is in the package once. */
const BUNDLES: readonly (readonly [bundle: string, imported: RegExp])[] = [
  ['hono', /^@?hono\b/],
  ['check', /\/check\/(?:check-cases|prepare-check)\.ts$/],
  ['explain', /\/(?:explain-signature|rewritten-bodies)\.ts$/],
  ['sandbox', /\/sandbox\/index\.ts$/],
  ['lua', /^\.\/scripts\.ts$/],
  ['sql', /^\.\/functions\.ts$/],
]

export const shareBundles: Plugin = {
  name: 'share-bundles',
  setup({ onResolve }) {
    for (const [bundle, filter] of BUNDLES) {
      onResolve({ filter }, ({ importer }) =>
        // Not where it is bundled.
        importer === '<stdin>' ? undefined : { path: `./${bundle}.cjs`, external: true },
      )
    }
  },
}

/** The console's pages: their module bundles them in the repository, and imports the bundle in the package. */
export const sharePages: Plugin = {
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

/** 180 KB to look up content types by file extension, which is not used here. */
export const withoutMimeTypes: Plugin = {
  name: 'without-mime-types',
  setup: ({ onLoad }) => onLoad({ filter: /mime-db.db\.json$/ }, () => ({ contents: '{}', loader: 'json' })),
}

/** 10 KB to warn of uses of http-errors that raw-body does not make. */
export const withoutDeprecations: Plugin = {
  name: 'without-deprecations',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/depd\/index\.js$/ }, () => ({ contents: 'module.exports = () => () => {}' }))
  },
}

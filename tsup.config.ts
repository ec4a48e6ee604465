import { defineConfig, type Options } from 'tsup'
import { ENTRIES, TYPED } from './scripts/build/entries.ts'
import { shareBundles, sharePages, withoutDeprecations } from './scripts/build/share-files.ts'

const common: Options = {
  format: 'esm',
  target: 'node22',
  // Shared chunks, so that every subpath has the same classes.
  splitting: true,
  // Workers and Deno only know built-in modules with the node: prefix.
  removeNodeProtocol: false,
  esbuildPlugins: [shareBundles, sharePages, withoutDeprecations],
}

/** `scripts/build/finish.ts` converts what is to be CommonJS: tsup would take out each `?.` and `??`, too. */
export default defineConfig([
  { ...common, entry: { ...ENTRIES, cli: 'src/cli/main.ts' }, metafile: true },
  {
    ...common,
    entry: ENTRIES,
    outExtension: () => ({ js: '.cjs' }),
    // An ES module only, which require() accepts from Node 22.12 on.
    noExternal: ['raw-body'],
  },
  { entry: TYPED, format: 'cjs', dts: { only: true } },
])

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

/**
 * The licenses of the packages that are bundled: those of the input files, and those in the console's pages
 * and in the CommonJS modules.
 */
export async function toLicenses(root: string, inputs: readonly string[]): Promise<string> {
  const { metafile } = await build({
    entryPoints: ['src/console/page/main.tsx', 'raw-body'],
    platform: 'node',
    absWorkingDir: root,
    outdir: 'page',
    bundle: true,
    write: false,
    metafile: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
  })
  const folders = [...inputs, ...Object.keys(metafile.inputs)].flatMap(
    (path) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  )
  return [...new Set(folders)]
    .toSorted()
    .map((folder) => licenseOf(join(root, folder)))
    .join('\n')
}

/** @throws if a package has no license file */
function licenseOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = ['LICENSE', 'LICENSE.md', 'LICENCE', 'license'].find((each) => existsSync(join(folder, each)))
  if (file === undefined) throw new Error(`${folder} has no file with its license`)
  return `${name} ${version}, ${license}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n\n${'-'.repeat(80)}\n`
}

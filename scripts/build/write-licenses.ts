// Writes the licenses of the packages that are bundled by tsup and into the console's pages.

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../..', import.meta.url))
const dist = join(root, 'dist')

const pages = await build({
  entryPoints: [join(root, 'src/console/page/main.tsx')],
  absWorkingDir: root,
  outdir: 'page',
  bundle: true,
  write: false,
  metafile: true,
  jsx: 'automatic',
  jsxImportSource: 'preact',
})
const inputs = Object.keys(pages.metafile.inputs)
for (const name of readdirSync(dist).filter((file) => file.startsWith('metafile-'))) {
  inputs.push(...Object.keys(JSON.parse(readFileSync(join(dist, name), 'utf8')).inputs))
  rmSync(join(dist, name))
}
const bundled = new Set(inputs.flatMap((path) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []))
writeFileSync(join(dist, 'THIRD_PARTY_LICENSES'), [...bundled].toSorted().map(licenseOf).join('\n'))

/** @throws if a package has no license file */
function licenseOf(folder: string): string {
  const path = join(root, folder)
  const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
  const file = ['LICENSE', 'LICENSE.md', 'LICENCE', 'license'].find((each) => existsSync(join(path, each)))
  if (file === undefined) throw new Error(`${folder} has no file with its license`)
  return `${name} ${version}, ${license}\n\n${readFileSync(join(path, file), 'utf8').trim()}\n\n${'-'.repeat(80)}\n`
}

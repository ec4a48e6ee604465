// Writes the licences of what tsup has bundled.

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')

const bundled = new Set<string>()
for (const name of ['metafile-esm.json', 'metafile-cjs.json']) {
  const { inputs } = JSON.parse(readFileSync(join(dist, name), 'utf8'))
  for (const path of Object.keys(inputs)) {
    const found = /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)
    if (found) bundled.add(found[0])
  }
  rmSync(join(dist, name))
}
writeFileSync(join(dist, 'THIRD_PARTY_LICENSES'), [...bundled].toSorted().map(licenseOf).join('\n'))

/** @throws if a package has no licence to show */
function licenseOf(folder: string): string {
  const path = join(root, folder)
  const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
  const file = ['LICENSE', 'LICENSE.md', 'LICENCE', 'license'].find((each) => existsSync(join(path, each)))
  if (file === undefined) throw new Error(`${folder} has no file with its licence`)
  return `${name} ${version}, ${license}\n\n${readFileSync(join(path, file), 'utf8').trim()}\n\n${'-'.repeat(80)}\n`
}

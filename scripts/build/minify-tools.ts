// Minifies what is only used while developing: the sandbox, the console, the command line and the check of
// receivers. The rest stays readable, for stack traces and debuggers.

import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Metafile, transformSync } from 'esbuild'

const root = fileURLToPath(new URL('../..', import.meta.url))
const TOOL = /^(?:src\/(?:sandbox|console|cli|testing\/check)\/|examples\/|node_modules\/commander\/)/

for (const format of ['esm', 'cjs']) {
  const { outputs }: Metafile = JSON.parse(readFileSync(`${root}dist/metafile-${format}.json`, 'utf8'))
  for (const [file, { inputs }] of Object.entries(outputs)) {
    const [tool, rest] = [
      lengthOf(inputs, (path) => TOOL.test(path)),
      lengthOf(inputs, (path) => !TOOL.test(path)),
    ]
    if (tool <= rest) continue
    const { code } = transformSync(readFileSync(root + file, 'utf8'), { minify: true, legalComments: 'none' })
    writeFileSync(root + file, code)
  }
}

function lengthOf(inputs: Metafile['outputs'][string]['inputs'], counts: (path: string) => boolean): number {
  return Object.entries(inputs).reduce(
    (sum, [path, { bytesInOutput }]) => sum + (counts(path) ? bytesInOutput : 0),
    0,
  )
}

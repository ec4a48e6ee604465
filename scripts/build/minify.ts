// Minifies the console and the command line. Of the other CommonJS modules, which only Jest and Node before 22.12
// load, the names stay, for stack traces. The other ES modules stay readable.

import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Metafile, transformSync } from 'esbuild'

const root = fileURLToPath(new URL('../..', import.meta.url))
const TOOL = /^(?:src\/(?:sandbox|console|cli)\/|examples\/|node_modules\/commander\/)/

for (const format of ['esm', 'cjs']) {
  const { outputs }: Metafile = JSON.parse(readFileSync(`${root}dist/metafile-${format}.json`, 'utf8'))
  for (const [file, { inputs }] of Object.entries(outputs)) {
    const isTool = isMostlyTool(inputs)
    if (!isTool && format === 'esm') continue
    const { code } = transformSync(readFileSync(root + file, 'utf8'), {
      minifyWhitespace: true,
      minifySyntax: true,
      minifyIdentifiers: isTool,
      legalComments: 'none',
    })
    writeFileSync(root + file, code)
  }
}

function isMostlyTool(inputs: Metafile['outputs'][string]['inputs']): boolean {
  const lengths = Object.entries(inputs).map(([path, { bytesInOutput }]) =>
    TOOL.test(path) ? bytesInOutput : -bytesInOutput,
  )
  return lengths.reduce((sum, length) => sum + length, 0) > 0
}

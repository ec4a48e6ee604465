// Minifies what is only used while developing. The rest stays readable, for stack traces and debuggers.

import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'esbuild'

for (const name of ['sandbox.js', 'sandbox.cjs', 'console.js', 'console.cjs', 'cli.js']) {
  const file = fileURLToPath(new URL(`../dist/${name}`, import.meta.url))
  const { code } = transformSync(readFileSync(file, 'utf8'), { minify: true, legalComments: 'none' })
  writeFileSync(file, code)
}

import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

/** What a reader of the docs imports instead of this project's files. */
const IMPORTS = [
  ['../../../src/index.ts', 'payhook'],
  ['../../../adapters/inbox/sqlite/sqlite-inbox.ts', 'payhook/sqlite'],
  ['../../../adapters/inbox/postgres/postgres-inbox.ts', 'payhook/postgres'],
  ['../prisma/generated/client.ts', './generated/prisma/client.js'],
  ['./pg.ts', './transaction.js'],
  ['./pool.ts', './pool.js'],
] as const

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

it.each(readdirSync(new URL('recipes', import.meta.url)))('docs/effects.md shows the recipe %s', (file) => {
  const code = IMPORTS.reduce(
    (text, [from, to]) => text.replace(`'${from}'`, `'${to}'`),
    read(`recipes/${file}`),
  )
  const language = file.endsWith('.sql') ? 'sql' : 'typescript'
  expect(read('../../docs/effects.md')).toContain(`\`\`\`${language}\n${code}\`\`\`\n`)
})

import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

/** What a reader of the docs imports instead of this project's files. */
const IMPORTS = [
  ['../../../src/index.ts', 'payhook'],
  ['../../../adapters/inbox/sqlite/sqlite-inbox.ts', 'payhook/sqlite'],
  ['../prisma-client.ts', './generated/prisma/client.ts'],
  ['./pg.ts', './transaction.ts'],
  ['./pool.ts', './pool.ts'],
] as const

/** Of these, the page says how they differ from another recipe. */
const VARIANTS = ['better-sqlite3.ts', 'inbox-claim.ts']

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const page = read('../../docs/exactly-once.md')
const shown = readdirSync(new URL('recipes', import.meta.url)).filter((file) => !VARIANTS.includes(file))

it.each(shown)('docs/exactly-once.md shows the recipe %s', (file) => {
  const code = IMPORTS.reduce(
    (text, [from, to]) => text.replace(`'${from}'`, `'${to}'`),
    read(`recipes/${file}`),
  )
  const language = file.endsWith('.sql') ? 'sql' : 'typescript'
  expect(page).toContain(`\`\`\`${language}\n${code}\`\`\`\n`)
})

it('shows the claim of each library', () => {
  const claims = [...read('recipes/inbox-claim.ts').matchAll(/inbox\.claim\(.*\)/g)].map(([claim]) =>
    claim.replace(/drizzleSql|kyselySql/, 'sql'),
  )
  expect(claims).toHaveLength(5)
  for (const claim of claims) expect(page).toContain(`\`${claim}\``)
})

it('says how the recipe for better-sqlite3 differs from that for node:sqlite', () => {
  const code = read('recipes/node-sqlite.ts')
    .replace(
      "import type { DatabaseSync } from 'node:sqlite'",
      "import type { Database } from 'better-sqlite3'",
    )
    .replace('DatabaseSync', 'Database')
    .replace('isTransaction', 'inTransaction')
  expect(read('recipes/better-sqlite3.ts')).toBe(code)
})

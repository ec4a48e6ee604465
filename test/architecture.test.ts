import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const files = filesBelow('src', 'adapters')

/** The layers, lowest first: a file imports from its own layer and from those in `below`. */
const layers = [
  { name: 'core', holds: /^src\/(?!(?:inbox|client|testing|sandbox|cli)\/)/, below: [] },
  { name: 'inbox', holds: /^src\/inbox\//, below: ['core'] },
  { name: 'client', holds: /^src\/client\//, below: ['core'] },
  { name: 'testing', holds: /^src\/testing\//, below: ['core'] },
  { name: 'adapters', holds: /^adapters\//, below: ['core', 'inbox', 'client', 'testing'] },
  { name: 'sandbox', holds: /^src\/sandbox\//, below: ['core', 'inbox', 'client', 'testing', 'adapters'] },
  { name: 'cli', holds: /^src\/cli\//, below: ['core', 'inbox', 'client', 'testing', 'adapters', 'sandbox'] },
]

/** What a file may load from outside the package; types cost nothing and are free. */
const outside = [
  { holds: /^src\/inbox\//, may: ['node:timers/promises'] },
  {
    holds: /^src\/client\/file-token-store\.ts/,
    may: ['node:fs/promises', 'node:path', 'node:sqlite'],
  },
  { holds: /^src\/client\//, may: ['zod/mini', 'node:buffer'] },
  {
    holds: /^src\/sandbox\//,
    may: [
      'hono',
      'hono/html',
      'hono/http-exception',
      '@hono/node-server',
      '@node-oauth/oauth2-server',
      'zod/mini',
      'node:buffer',
      'node:crypto',
      'node:events',
      'node:http',
      'node:https',
    ],
  },
  { holds: /^src\//, may: ['zod/mini', 'node:crypto', 'node:buffer'] },
  { holds: /^adapters\/http\/(?:fetch|lambda|lambda-event)\.ts/, may: ['node:buffer'] },
  { holds: /^adapters\/http\/fastify\.ts/, may: ['node:stream'] },
  { holds: /^adapters\/http\/node-body\.ts/, may: ['raw-body', 'node:stream/promises'] },
  { holds: /^adapters\/http\//, may: [] },
  {
    holds: /^adapters\/inbox\/sqlite/,
    may: ['node:sqlite', 'node:fs', 'node:path', 'node:crypto', 'node:timers/promises'],
  },
  {
    holds: /^adapters\/inbox\/bullmq/,
    may: ['bullmq', 'node:buffer', 'node:crypto', 'node:timers/promises'],
  },
  {
    holds: /^adapters\/inbox\/pg-boss/,
    may: ['pg-boss', 'node:buffer', 'node:crypto', 'node:timers/promises'],
  },
]

const unprefixed = builtinModules.filter((name) => !name.startsWith('node:'))

describe('imports', () => {
  it('finds the files', () => {
    expect(files).toContain('src/receiver.ts')
    expect(files).toContain('adapters/http/express.ts')
  })

  it.each(files)('of %s point one way', (file) => {
    const own = layerOf(file)
    for (const target of importsOf(file).flatMap(({ from }) =>
      from.startsWith('.') ? [resolve(file, from)] : [],
    )) {
      expect([own.name, ...own.below], `${file} imports ${target}`).toContain(layerOf(target).name)
    }
  })

  it.each(files)('of %s load nothing it need not', (file) => {
    const allowed = outside.find(({ holds }) => holds.test(file))?.may ?? []
    const loaded = importsOf(file).filter(({ from, typeOnly }) => !from.startsWith('.') && !typeOnly)
    for (const { from } of loaded) {
      expect(allowed, `${file} loads ${from}`).toContain(from)
      expect(unprefixed, `${from} needs its node: prefix`).not.toContain(from)
    }
  })
})

describe('files', () => {
  it.each([...files, ...filesBelow('test', 'bench', 'examples', 'scripts')])(
    '%s is short and named by its content',
    (file) => {
      const text = readFileSync(join(root, file), 'utf8')
      if (!file.endsWith('.test.ts') && !file.endsWith('-suite.ts'))
        expect(text.split('\n').length).toBeLessThanOrEqual(251)
      expect(file).toMatch(
        /^(?:[a-z0-9]+(?:-[a-z0-9]+)*\/)*[a-z0-9]+(?:-[a-z0-9]+)*(?:\.test|\.test-d)?\.ts$/,
      )
      expect(file).not.toMatch(/(?:utils?|helpers?|types|common|misc)\.ts$/)
      expect(text).not.toMatch(/^export \*/m)
    },
  )
})

function filesBelow(...folders: string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => relative(root, join(entry.parentPath, entry.name))),
  )
}

function layerOf(file: string): (typeof layers)[number] {
  const layer = layers.find(({ holds }) => holds.test(file))
  if (layer === undefined) throw new Error(`${file} is in no layer`)
  return layer
}

function importsOf(file: string): { from: string; typeOnly: boolean }[] {
  const text = readFileSync(join(root, file), 'utf8')
  const statements = text.matchAll(
    /^(?:import|export)\s+(type\s)?[^'"]*?from\s+'([^']+)'|^import\s+'([^']+)'|import\('([^']+)'\)/gm,
  )
  return [...statements].map(([, type, from, bare, dynamic]) => ({
    from: from ?? bare ?? dynamic ?? '',
    typeOnly: type !== undefined,
  }))
}

function resolve(file: string, from: string): string {
  return relative(root, join(root, dirname(file), from))
}

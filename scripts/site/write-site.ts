// Writes the pages of the site to `site/pages`: docs/ with links that fit the site, the home page, the results
// of benchmarks, the reference, and llms.txt. VitePress then builds it.

import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const pages = join(root, 'site/pages')

/** Pages outside of docs/, by their name on the site. */
const OTHERS = { reporting: 'SECURITY.md', changelog: 'CHANGELOG.md', agents: 'AGENTS.md' }

/** Links to other pages, from the root of the repository or from docs/. */
function toSiteLinks(text: string): string {
  const names = Object.entries(OTHERS).map(([name, file]): [string, string] => [file, `${name}.md`])
  return names
    .reduce((linked, [file, page]) => linked.replaceAll(`](../${file}`, `](${page}`), text)
    .replaceAll('](docs/', '](')
    .replaceAll('](SECURITY.md', '](reporting.md')
    .replaceAll(/`bench\/(results\/\w+\.md)`/g, '[`bench/$1`]($1)')
}

rmSync(pages, { recursive: true, force: true })
mkdirSync(join(pages, 'public'), { recursive: true })
const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'))
const sources = new Map(docs.map((name) => [name, `docs/${name}`]))
for (const [name, file] of Object.entries(OTHERS)) sources.set(`${name}.md`, file)

const index: string[] = []
for (const [name, file] of sources) {
  const text = toSiteLinks(readFileSync(join(root, file), 'utf8'))
  writeFileSync(join(pages, name), text)
  cpSync(join(pages, name), join(pages, 'public', name))
  const [, title] = /^# (.*)$/m.exec(text) ?? []
  // The first paragraph, as one line.
  const summary = text.split('\n\n').find((part) => /^[A-Z`]/.test(part))
  index.push(`- [${title}](/${name}): ${summary?.replaceAll(/\s+/g, ' ')}`)
}
cpSync(join(root, 'site/home.md'), join(pages, 'index.md'))
cpSync(join(root, 'bench/results'), join(pages, 'results'), { recursive: true })
for (const name of readdirSync(join(pages, 'results')).filter((file) => file.endsWith('.md'))) {
  const path = join(pages, 'results', name)
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll('](../../docs/', '](../'))
}
cpSync(join(root, 'docs/images'), join(pages, 'images'), {
  recursive: true,
  filter: (path) => !path.endsWith('.md'),
})
writeFileSync(
  join(pages, 'public/llms.txt'),
  `# payhook\n\n> Receives the signed webhook notifications of a payments service.\n\n${index.toSorted().join('\n')}\n`,
)
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Record<string, string | { import?: { types: string } }>
}
const declarations = Object.values(exports).flatMap((entry) =>
  typeof entry === 'object' && entry.import ? [`../${entry.import.types}`] : [],
)
execFileSync('npx', ['typedoc', ...declarations.flatMap((path) => ['--entryPoints', path])], {
  cwd: join(root, 'site'),
  stdio: 'inherit',
})

// The core is the module `index`, which is also the name of the list of modules.
const reference = join(pages, 'reference')
renameSync(join(reference, 'index-1.md'), join(reference, 'payhook.md'))
for (const name of readdirSync(reference)) {
  const path = join(reference, name)
  const text = readFileSync(path, 'utf8')
    .replaceAll('index-1.md', 'payhook.md')
    .replaceAll('[index](payhook.md)', '[payhook](payhook.md)')
  const subpath = name === 'payhook.md' ? 'payhook' : `payhook/${name.replace('.md', '')}`
  writeFileSync(path, name === 'index.md' ? text : text.replace(/^# .*$/m, `# ${subpath}`))
}

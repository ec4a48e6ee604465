// Tries the built package with the oldest frameworks that its peer ranges allow; the tests use the newest. Run after
// `npm run build`.

import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const project = mkdtempSync(join(tmpdir(), 'payhook-frameworks-'))
const dependencies = {
  'oldest-express': 'npm:express@4.17.0',
  'oldest-koa': 'npm:koa@2.13.0',
  'oldest-fastify': 'npm:fastify@4.0.0',
  'koa-bodyparser': '4',
  payhook: `file:${root}`,
}

try {
  cpSync(join(root, 'scripts/frameworks'), project, { recursive: true })
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies }),
  )
  const quiet = ['--install-links', '--no-audit', '--no-fund', '--loglevel=error']
  // Peers are given under other names here.
  execFileSync('npm', ['install', '--legacy-peer-deps', ...quiet], { cwd: project, stdio: 'inherit' })
  execFileSync(process.execPath, ['oldest.mjs'], { cwd: project, stdio: 'inherit' })
} finally {
  rmSync(project, { recursive: true, force: true })
}

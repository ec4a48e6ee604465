// Tests the built package with the oldest frameworks and engines of its peer ranges, and with the newest
// engines. The newest frameworks are covered by the tests. Run after `npm run build`.

import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Runs a program of `scripts/frameworks/programs` in a project with payhook and these dependencies. */
function check(command: string, dependencies: Record<string, string>): void {
  const project = mkdtempSync(join(tmpdir(), 'payhook-frameworks-'))
  try {
    cpSync(join(root, 'scripts/frameworks/programs'), project, { recursive: true })
    const all = { ...dependencies, payhook: `file:${root}` }
    writeFileSync(
      join(project, 'package.json'),
      JSON.stringify({ private: true, type: 'module', dependencies: all }),
    )
    const quiet = ['--install-links', '--no-audit', '--no-fund', '--loglevel=error']
    // Some peers are installed under other names.
    execFileSync('npm', ['install', '--legacy-peer-deps', ...quiet], { cwd: project, stdio: 'inherit' })
    execFileSync(process.execPath, command.split(' '), { cwd: project, stdio: 'inherit' })
  } finally {
    rmSync(project, { recursive: true, force: true })
  }
}

check('oldest.mjs', {
  'oldest-express': 'npm:express@4.17.0',
  'oldest-koa': 'npm:koa@2.13.0',
  'oldest-fastify': 'npm:fastify@4.0.0',
  'koa-bodyparser': '4',
})
// Before 6.5, a worker may hang after pause and resume, and before ioredis 5.4, as it connects. 5.4.0 prints.
check('engine.mjs bullmq', { bullmq: '6.5.1', ioredis: '5.4.1' })
check('engine.mjs bullmq', { bullmq: '6', ioredis: '6' })
// Cursors in handlers need 8.19.
check('engine.mjs postgres', { pg: '8.19.0' })

// Tries the built package with the oldest frameworks and engines that its peer ranges allow, and with the
// newest engines; the tests use the newest frameworks. Run after `npm run build`.

import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Runs a program of `scripts/frameworks` in a project that has these and payhook. */
function check(program: string, dependencies: Record<string, string>, overrides = {}): void {
  const project = mkdtempSync(join(tmpdir(), 'payhook-frameworks-'))
  try {
    cpSync(join(root, 'scripts/frameworks'), project, { recursive: true })
    const all = { ...dependencies, payhook: `file:${root}` }
    writeFileSync(
      join(project, 'package.json'),
      JSON.stringify({ private: true, type: 'module', dependencies: all, overrides }),
    )
    const quiet = ['--install-links', '--no-audit', '--no-fund', '--loglevel=error']
    // Some peers are given under other names here.
    execFileSync('npm', ['install', '--legacy-peer-deps', ...quiet], { cwd: project, stdio: 'inherit' })
    execFileSync(process.execPath, [program], { cwd: project, stdio: 'inherit' })
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
// Before 6.5 a worker that was paused and resumed may go on waiting.
check('bullmq.mjs', { bullmq: '6.5.1', ioredis: '5.0.0' })
check('bullmq.mjs', { bullmq: '6', ioredis: '5' })
check(
  'pg-boss.mjs',
  { 'pg-boss-oldest': 'npm:pg-boss@12.35.0', 'pg-boss': '12.38.0', '@opentelemetry/api': '1' },
  // What pg-boss 12.38 asks for is not in every registry; it is for schedules, which payhook has none of.
  { 'rrule-temporal': '>=2.2.6' },
)

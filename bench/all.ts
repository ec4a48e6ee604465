// Runs every benchmark in turn, or with --check only short versions against ceilings.

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { flags } from './support/flags.ts'

const ALL = [
  'verify/verify.ts',
  'http/http.ts',
  'verify/start.ts',
  'inbox/inbox.ts',
  'inbox/subjects.ts',
  'http/inbox.ts',
  'inbox/processes.ts',
  'inbox/memory.ts',
]

for (const script of flags.check ? ['check.ts'] : ALL) {
  const file = fileURLToPath(new URL(script, import.meta.url))
  const { status } = spawnSync(process.execPath, [file, ...process.argv.slice(2)], { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}

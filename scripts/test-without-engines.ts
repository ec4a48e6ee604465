// Runs the tests of `npm test` that may use Redis or PostgreSQL as on a machine without both: in a network namespace
// that has only its own loopback. They have to pass, and to say what they did not test.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'

/** A test that waits for an engine takes five minutes until its own time-out, and the next one five more. */
const LIMIT_MINUTES = 15
/** Which tests know the address of an engine: no other file has one, as `test/architecture.test.ts` ensures. */
const ADDRESSES = 'test/contracts/service.ts'
const vitest = ['npx', 'vitest', 'related', ADDRESSES, '--run', '--project', 'test']
const unshare = [
  ...['--net', ...(process.getuid?.() === 0 ? [] : ['--map-root-user'])],
  ...['sh', '-c', 'ip link set lo up && exec "$@"', 'sh'],
]

function fail(reason: string): never {
  console.error(`test:without-engines: ${reason}`)
  process.exit(1)
}

const attempt = spawnSync('unshare', [...unshare, 'true'], { encoding: 'utf8' })
if (attempt.status !== 0) {
  const reason = attempt.error?.message ?? attempt.stderr.trim()
  fail(`unshare (util-linux) and ip (iproute2) have to create a network namespace here: ${reason}`)
}

// In CI, what is missing is a failure; here it is what is tested.
const { CI: _, REDIS_URL: _redis, DATABASE_URL: _postgres, ...env } = process.env
const tests = spawn('unshare', [...unshare, ...vitest], {
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
  detached: true,
})
const hint = 'Does a test open an engine outside describeWithService?'
const timer = setTimeout(
  () => fail(`the tests did not end within ${LIMIT_MINUTES} minutes. ${hint}`),
  LIMIT_MINUTES * 60_000,
)
process.once('SIGINT', () => process.exit(130))
process.once('exit', () => tests.exitCode ?? process.kill(-Number(tests.pid), 'SIGKILL'))

let output = ''
tests.stdout.on('data', (chunk) => {
  process.stdout.write(chunk)
  output += chunk
})
const [code] = await once(tests, 'close')
clearTimeout(timer)
if (code !== 0) fail(`the tests failed. ${hint}`)
for (const port of [6379, 5432]) {
  if (!output.includes(`Nothing listens on 127.0.0.1:${port}.`))
    fail(`the run does not say that nothing on port ${port} was tested.`)
}

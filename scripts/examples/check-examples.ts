// Installs the packed package in a copy of each example, and runs it with a sandbox. Run after `npm run build`,
// with Redis and PostgreSQL. Arguments name the examples to check.

import { join } from 'node:path'
import { inspect } from 'node:util'
import { equal, project, removeProject, root, run } from '../package/consumer-project.ts'
import {
  checkBehind,
  checkKept,
  checkNotifications,
  checkReadBack,
  checkRetry,
  checkShape,
  stop,
  stopBusy,
  urlOf,
} from './check-notifications.ts'
import { checkHonoWorkers } from './hono-workers.ts'
import { checkLambdaSqs } from './lambda-sqs.ts'
import { checkShop } from './shop.ts'
import { type Trial, tryExample } from './trial.ts'
import { checkWorkersApart } from './workers-apart.ts'

// npm waits for the network most of the time.
const AT_ONCE = 3

const checks: Record<string, (trial: Trial) => Promise<void>> = {
  // First, as its build takes longest. Next.js itself waits for connections that are in use.
  next: (trial) => checkBuiltServer(trial, 143, stop),
  shop: checkShop,
  koa: checkServer,
  'workers-apart': checkWorkersApart,
  'lambda-sqs': checkLambdaSqs,
  'hono-workers': checkHonoWorkers,
  deno: checkServer,
  bun: checkServer,
  nestjs: (trial) => checkBuiltServer(trial, null), // it raises the signal again at the end
}

async function checkServer(trial: Trial, exitCode: number | null = 0, end = stopBusy): Promise<void> {
  const server = trial.npmRun('start')
  const url = await urlOf(server)
  // A URL that was registered with a slash too many must not look as if its notifications were stored.
  equal((await fetch(`${url}/`, { method: 'POST' })).ok, false)
  await trial.register(url)
  await checkNotifications(trial, trial.ledger)
  checkRetry(trial)
  await checkReadBack(trial)
  await checkBehind(trial)
  await checkShape(trial, server)
  await checkKept(trial, server)
  await end(server, exitCode, url)
}

async function checkBuiltServer(trial: Trial, exitCode: number | null, end = stopBusy): Promise<void> {
  // Without variables of the server, as in the README and where an image is built.
  const build = trial.start('bash', ['-c', 'unset PAYHOOK_BASE_URL; npm run --silent build && echo done'])
  await build.waitFor(/^done$/m) // or it says what went wrong
  await checkServer(trial, exitCode, end)
}

const [tarball] = JSON.parse(
  run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', project], root),
)
const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(checks)
const waiting = names.values()

async function checkNext(): Promise<void> {
  for (const name of waiting) {
    const startedAt = Date.now()
    const check = checks[name]
    try {
      if (!check) throw new TypeError(`there is no example "${name}"`)
      await tryExample(name, join(project, tarball.filename), check)
      console.log(`ok      ${name} (${Math.round((Date.now() - startedAt) / 1000)} s)`)
    } catch (error) {
      process.exitCode = 1
      console.log(`FAILED  ${name}: ${inspect(error)}`)
    }
  }
}

try {
  await Promise.all(Array.from({ length: AT_ONCE }, checkNext))
} finally {
  removeProject()
}

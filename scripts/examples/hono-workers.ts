import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { equal } from '../package/consumer-project.ts'
import { checkNotifications, checkRetry, TWICE, urlOf } from './check-notifications.ts'
import { CALLBACK_TOKEN, type Trial } from './trial.ts'

export async function checkHonoWorkers(trial: Trial): Promise<void> {
  const { folder, ledger, sandbox } = trial
  const variables = {
    PAYHOOK_CLIENT_ID: sandbox.clientId,
    PAYHOOK_CALLBACK_TOKEN: CALLBACK_TOKEN,
    LEDGER_URL: ledger.url,
  }
  writeFileSync(
    join(folder, '.dev.vars'),
    Object.entries(variables)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
  const server = trial.npmRun('start', {}, '--port 0')
  await trial.register(await urlOf(server))
  await checkNotifications(trial, ledger, { duplicates: 2 }) // the queue keeps both
  const [first, second] = ledger.keys(TWICE)
  equal(second, first)
  checkRetry(trial)
}

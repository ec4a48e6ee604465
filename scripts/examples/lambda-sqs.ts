import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { equal, root } from '../package/consumer-project.ts'
import { checkNotifications, checkReadBack, checkRetry, checkShape, urlOf } from './check-notifications.ts'
import type { Trial } from './trial.ts'

const DEAD = '48125'

export async function checkLambdaSqs(trial: Trial): Promise<void> {
  const { folder, ledger, sandbox } = trial
  // In the example's folder, it finds what is installed there.
  cpSync(join(root, 'scripts/examples/host-lambda.mjs'), join(folder, 'host.mjs'))
  const host = trial.start(process.execPath, ['host.mjs'])
  const url = await urlOf(host)
  await trial.register(url)
  await checkNotifications(trial, ledger)
  checkRetry(trial)
  await checkReadBack(trial)
  await checkShape(trial, host)

  // What comes in one batch after one that cannot be handled is not dead with it.
  const { id } = sandbox.createPayment()
  const data = { id, status: 'InProgress' }
  const Records = ['{', JSON.stringify({ type: 'INBOUND_PAYMENT_STATUS_UPDATED', data })].map(
    (text, index) => ({
      messageId: `${index}`,
      body: Buffer.from(text).toString('base64'),
      attributes: { MessageGroupId: `payment:${id}` },
    }),
  )
  const response = await fetch(new URL('/batch', url), { method: 'POST', body: JSON.stringify({ Records }) })
  equal(await response.json(), { batchItemFailures: [{ itemIdentifier: '0' }] })

  ledger.failNext(DEAD, 3)
  await sandbox.trigger('INBOUND_PAYMENT_STATUS_UPDATED', { id: DEAD })
  await host.waitFor(new RegExp(`dead letter .*${DEAD}`))
  equal(ledger.keys(DEAD).length, 3)
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { createSqliteInbox } from '../../adapters/inbox/sqlite/sqlite-inbox.ts'
import type { Sandbox } from '../../src/sandbox/index.ts'
import { openSandbox } from '../sandbox/open-sandbox.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const ENTRIES: Record<string, string> = {
  payhook: 'src/index.ts',
  'payhook/client': 'src/client/index.ts',
  'payhook/sqlite': 'adapters/inbox/sqlite/sqlite-inbox.ts',
}

const page = readFileSync(join(root, 'docs/reconcile.md'), 'utf8')
const [WITH_REPORT = '', OTHER_LIST = ''] = [...page.matchAll(/```(?:js|javascript)\n(.*?)```/gs)].map(
  ([, program]) => program,
)
const [, COMMAND = ''] = /^7 \* \* \* \* +(.*)$/m.exec(page) ?? []
const WITH_IDS = WITH_REPORT.replace(/^const since.*?^}\n/ms, () => OTHER_LIST)

async function openWorld() {
  const folder = temporaryFolder()
  const inbox = createSqliteInbox({ path: join(folder, 'inbox.db') })
  onTestFinished(() => inbox.close())
  return { folder, inbox, sandbox: await openSandbox({ resourcePath: '/svc/v1.2' }) }
}

/** Runs a program of docs/reconcile.md as its cron does, against the sandbox. Returns what it prints. */
async function runDocumented(program: string, folder: string, sandbox: Sandbox): Promise<string> {
  const runnable = program
    .replace(/'(payhook(?:\/\w+)?)'/g, (_, name) => `'${join(root, ENTRIES[name] ?? '')}'`)
    // Nobody wants to wait for a minute.
    .replace('since })', 'since, graceMs: 0 })')
  writeFileSync(join(folder, 'reconcile.mjs'), runnable)
  const { url, clientId, clientSecret } = sandbox
  const variables = { BASE_URL: url, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret }
  const lines = Object.entries(variables).map(([name, value]) => `PAYHOOK_${name}=${value}\n`)
  writeFileSync(join(folder, 'webhooks.env'), lines.join(''))
  const child = spawn('sh', ['-c', COMMAND.replaceAll(/\/(?:srv\/webhooks|etc)/g, folder)], {
    env: { PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter) },
  })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return stderr + stdout
}

it('recovers what never came, from the report of docs/reconcile.md', async () => {
  const { folder, inbox, sandbox } = await openWorld()
  await sandbox.createPayment().setStatus('Complete')
  await sandbox.createPayment({ payerAccountId: 710021, payeeAccountId: 710044 }).setStatus('Sent')
  // More than a page of the report.
  for (let count = 0; count < 20; count++) sandbox.createPayment()
  const last = sandbox.createPayment()
  await last.setStatus('Sent')
  for (const missed of [3, 0])
    expect(await runDocumented(WITH_REPORT, folder, sandbox)).toBe(
      `3 checked, ${missed} missed, ${missed} recovered\n`,
    )
  const stored = (await inbox.list()).map(({ kind, source }) => `${source} ${kind}`)
  expect(stored.sort()).toEqual([
    'reconcile INBOUND_PAYMENT_STATUS_UPDATED',
    'reconcile INBOUND_PAYMENT_STATUS_UPDATED',
    'reconcile OUTBOUND_PAYMENT_STATUS_UPDATED',
  ])
  // The payer of the other two.
  const [payer] = sandbox.users
  expect(await inbox.forget({ accountId: payer.accountId })).toMatchObject({ kept: 2 })
})

it('recovers what never came of payments whose ids are known, by docs/reconcile.md', async () => {
  const { folder, inbox, sandbox } = await openWorld()
  const sides = { payerAccountId: 710021, payeeAccountId: 710044 }
  const [complete, sent] = [sandbox.createPayment(sides), sandbox.createPayment(sides)]
  await complete.setStatus('Complete')
  await sent.setStatus('Sent')
  const known = [complete, sent].map(({ id }) => ({ id, status: 'Sent' }))
  writeFileSync(
    join(folder, 'my-payments.js'),
    `export const unfinishedPayments = async () => ${JSON.stringify(known)}`,
  )
  for (const missed of [1, 0])
    expect(await runDocumented(WITH_IDS, folder, sandbox)).toBe(
      `1 checked, ${missed} missed, ${missed} recovered\n`,
    )
  expect(await inbox.list()).toMatchObject([{ subject: `payment:${complete.id}`, source: 'reconcile' }])
})

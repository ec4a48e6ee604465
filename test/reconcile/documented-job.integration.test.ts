import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createSqliteInbox } from '../../adapters/inbox/sqlite/sqlite-inbox.ts'
import { temporaryFolder } from '../cli/temporary-folder.ts'
import { openSandbox } from '../sandbox/open-sandbox.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const ENTRIES: Record<string, string> = {
  payhook: 'src/index.ts',
  'payhook/client': 'src/client/index.ts',
  'payhook/sqlite': 'adapters/inbox/sqlite/sqlite-inbox.ts',
}

it('recovers what never came with the job of docs/reconcile.md', async () => {
  const [, job = ''] = /```js\n(.*?)```/s.exec(readFileSync(join(root, 'docs/reconcile.md'), 'utf8')) ?? []
  const folder = temporaryFolder()
  const program = job
    .replace(/'(payhook(?:\/\w+)?)'/g, (_, name) => `'${join(root, ENTRIES[name] ?? '')}'`)
    // Nobody wants to wait for a minute.
    .replace('since })', 'since, graceMs: 0 })')
  writeFileSync(join(folder, 'reconcile.mjs'), program)
  const sandbox = await openSandbox({ resourcePath: '/svc/v1.0' })
  await sandbox.createPayment().setStatus('Complete')
  await sandbox.createPayment({ payerAccountId: 710021, payeeAccountId: 710044 }).setStatus('Sent')
  sandbox.createPayment()
  const inbox = createSqliteInbox({ path: join(folder, 'inbox.db') })
  try {
    for (const missed of [2, 0]) {
      const child = spawn(process.execPath, ['reconcile.mjs'], {
        cwd: folder,
        env: {
          PAYHOOK_BASE_URL: sandbox.url,
          PAYHOOK_CLIENT_ID: sandbox.clientId,
          PAYHOOK_CLIENT_SECRET: sandbox.clientSecret,
        },
      })
      const [stdout, stderr] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close'),
      ])
      expect(stderr + stdout).toBe(`2 checked, ${missed} missed, ${missed} recovered\n`)
    }
    const stored = (await inbox.list()).map(({ kind, source }) => `${source} ${kind}`)
    expect(stored).toEqual([
      'reconcile INBOUND_PAYMENT_STATUS_UPDATED',
      'reconcile OUTBOUND_PAYMENT_STATUS_UPDATED',
    ])
  } finally {
    await inbox.close()
  }
})

// Takes the pictures in docs/images: node scripts/site/screenshots.ts. CHROMIUM names another browser.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { receiveWebhooks } from '../../adapters/http/node.ts'
import { createSqliteInbox } from '../../adapters/inbox/sqlite/sqlite-inbox.ts'
import { createClient } from '../../src/client/index.ts'
import { createConsole, toNodeListener } from '../../src/console/index.ts'
import { createReceiver } from '../../src/index.ts'
import { createSandbox } from '../../src/sandbox/index.ts'

const images = fileURLToPath(new URL('../../docs/images', import.meta.url))
mkdirSync(images, { recursive: true })
const folder = mkdtempSync(join(tmpdir(), 'payhook-screenshots-'))

const sandbox = await createSandbox({ retryDelayMs: 600 })
const { clientId, clientSecret } = sandbox
const inbox = createSqliteInbox({ path: join(folder, 'inbox.db'), maxAttempts: 1 })
const kept = createReceiver({ clientId, callbackToken: false, inbox, logger: { warn() {}, error() {} } })
kept.onAny((event) => {
  if (!event.type.includes('INVOICE')) return
  const error = new Error('connect ECONNREFUSED 10.0.0.7:5432')
  error.stack = `${error}\n    at bookInvoice (file:///app/ledger.js:41:11)\n    at file:///app/server.js:12:9`
  throw error
})
await kept.start()
const inboxConsole = toNodeListener(createConsole({ inbox, authorize: () => true }))
const receive = receiveWebhooks(kept)
const server = createServer((request, response) => {
  if (request.url?.startsWith('/admin/inbox')) return void inboxConsole(request, response)
  return void receive(request, response)
}).listen(0)
const { port } = server.address() as AddressInfo
const application = `http://localhost:${port}`

const client = createClient({ baseUrl: sandbox.url, clientId, clientSecret })
const callbackUrl = `${application}/webhooks`
await client.webhooks.sync([
  { event: 'INBOUND_PAYMENT_STATUS_UPDATED', callbackUrl },
  { event: 'OUTBOUND_PAYMENT_STATUS_UPDATED', callbackUrl },
  { event: 'OUTBOUND_INVOICE_STATUS_UPDATED', callbackUrl },
  { event: 'ACCOUNT_STATUS_UPDATED', callbackUrl },
  { event: 'VBA_TRANSACTION', callbackUrl: 'http://localhost:9/webhooks' },
])
await sandbox.trigger('ACCOUNT_STATUS_UPDATED')
await sandbox.createInvoice().walk()
await sandbox.createPayment({ amount: { number: '99.50', currency: 'EUR' } }).walk()
await sandbox.trigger('VBA_TRANSACTION')
await sandbox.trigger('OUTBOUND_PAYMENT_STATUS_UPDATED', { status: 'Sent' })
await sandbox.trigger('INBOUND_PAYMENT_STATUS_UPDATED', {}, { faults: { signature: 'wrong' } })

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
const wide = { viewport: { width: 1_120, height: 660 } }
const dark = { ...wide, colorScheme: 'dark' as const }

await shoot('sandbox-delivery', `${sandbox.url}/`, wide, async (page) => {
  await page.locator('.item a').first().click()
  await page.getByText('The receiver responded with 401').waitFor()
  await page.getByRole('heading', { name: 'Headers' }).waitFor()
})
await shoot('sandbox-send', `${sandbox.url}/#/send`, wide, async (page) => {
  await page.getByLabel('Kind', { exact: true }).selectOption('INBOUND_PAYMENT_STATUS_UPDATED')
  await page
    .getByLabel('Data of the event')
    .fill('{\n  "status": "Sent",\n  "amount": { "number": 99.50, currency: "EUR" }\n}')
  await page.getByText(/line 3/).waitFor()
})
await shoot('sandbox-walk', `${sandbox.url}/#/walk`, dark, async (page) => {
  for (const status of ['Sent', 'PendingAuth', 'Authorized']) {
    await page.getByRole('button', { name: status }).click()
    await page.locator('[aria-current=step]', { hasText: status }).waitFor()
  }
  await page.getByRole('link', { name: 'Inbound payment' }).nth(2).waitFor()
})
await shoot('sandbox-signature', `${sandbox.url}/#/signature`, wide, async (page) => {
  const { body = '', signature = '' } =
    sandbox.deliveries().find(({ kind }) => kind === 'ACCOUNT_STATUS_UPDATED') ?? {}
  await page.getByLabel('Body, exactly as it arrived').fill(`${body}\n`)
  await page.getByLabel('Value of the ACCESS-SIGNATURE header').fill(signature)
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await page.getByText('The signature does not verify').waitFor()
})
await shoot('inbox', `${application}/admin/inbox`, dark, async (page) => {
  await page.locator('.item a').first().click()
  await page.getByText('Why it is dead').waitFor()
})

await browser.close()
server.close()
await kept.stop()
await inbox.close()
await sandbox.close()
rmSync(folder, { recursive: true })

async function shoot(
  name: string,
  url: string,
  look: BrowserContextOptions,
  prepare: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ ...look, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await page.goto(url)
  await prepare(page)
  await page.screenshot({ path: join(images, `${name}.png`) })
  await context.close()
}

import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openSqlite } from '../cli/test-inboxes.ts'
import { createConsumer } from '../contracts/recording-consumer.ts'
import { createAbout } from '../contracts/signed-notification.ts'
import { waitFor } from '../contracts/wait-for.ts'
import { control } from '../sandbox/control/control-calls.ts'
import { openSandbox, receiver } from '../sandbox/open-sandbox.ts'
import { button, describeInChromium, findBarriers, seen, WIDTHS } from './chromium.ts'
import { serveConsole } from './serve-console.ts'

const PAYMENT = 'INBOUND_PAYMENT_STATUS_UPDATED'

/** The views of the sandbox's page, each with as much in it as it can have. */
const SANDBOX_VIEWS: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  deliveries: (page) => page.locator('.item a').first().waitFor(),
  'deliveries/of': async (page) => {
    await seen(page, 'The receiver responded with 401')
    await page.getByText('Response headers').first().click()
  },
  'deliveries/of?edit': (page) => button(page, /Edit and resend/).click(),
  send: async (page) => {
    await page.getByLabel('Kind').selectOption(PAYMENT)
    await page.getByLabel('Data of the event').fill('{\n  "status": Sent\n}')
    await seen(page, /Unexpected token .S./)
  },
  walk: async (page) => {
    for (const status of ['Sent', 'InProgress', 'SchedulingInProgress']) {
      await page.getByRole('button', { name: status }).first().click()
      await page.locator('[aria-current=step]', { hasText: status }).waitFor()
    }
    await seen(page, '401, 3 attempts')
  },
  faults: async (page) => {
    for (const name of ['Duplicates', 'Out of order', 'Late', 'Wrong signature', 'Cut off'])
      await page.getByLabel(name, { exact: true }).check()
    await seen(page, 'Faults: delayMs, signature, truncate, duplicate, reorder')
  },
  signature: async (page) => {
    await page.getByLabel('Body, exactly as it arrived').fill('{}')
    await button(page, 'Check').click()
    await seen(page, 'The signature does not verify')
  },
  check: async (page) => {
    await button(page, 'Check the receiver').click()
    await seen(page, 'The other cases were skipped')
  },
  setup: (page) => seen(page, 'grant_type=client_credentials'),
}

describeInChromium('the layout', (open) => {
  it.each(WIDTHS)("of the sandbox's page has no barriers at %d px, in light and dark", async (width) => {
    const sandbox = await openSandbox()
    const { url } = await receiver((response) => response.writeHead(401).end('{"code":"signature_mismatch"}'))
    const page = await open(sandbox.url, width)
    await seen(page, 'Nothing has been sent yet')
    const found = [await findBarriers(page)]
    for (const callbackUrl of [url, 'https://shop.example/a-longer-path/of-another-receiver'])
      await control(sandbox, 'POST configurations', { event: PAYMENT, callbackUrl })
    await sandbox.trigger(PAYMENT)
    const [{ id } = { id: '' }] = sandbox.deliveries()
    for (const [view, prepare] of Object.entries(SANDBOX_VIEWS)) {
      await page.goto(`${sandbox.url}/#/${view.replace('/of', `/${id}`).replace(/\?.*/, '')}`)
      await page.reload()
      await prepare(page)
      found.push((await findBarriers(page)).map((barrier) => `${view}: ${barrier}`))
    }
    expect(found.flat()).toEqual([])
  })

  it.each(WIDTHS)("of an inbox's page has no barriers at %d px, in light and dark", async (width) => {
    const { inbox } = await openSqlite({ maxAttempts: 1 })
    for (const name of ['dead', 'other']) await inbox.put(createAbout('payment:9223372036854775807', name))
    await inbox.start(
      createConsumer(() => {
        throw new Error('The ledger is down')
      }),
    )
    await waitFor(async () => (await inbox.counts()).dead === 2)
    const page = await open(await serveConsole(inbox), width)
    const entry = page.locator('.item a').first()
    await entry.waitFor()
    await seen(page, 'Needs attention')
    const found = [await findBarriers(page)]
    for (const name of ['Replay …', 'Pause …']) {
      await button(page, name).click()
      found.push(await findBarriers(page))
      await page.keyboard.press('Escape')
    }
    await entry.click()
    await seen(page, 'Why it is dead')
    found.push(await findBarriers(page))
    expect(found.flat()).toEqual([])
  })
})

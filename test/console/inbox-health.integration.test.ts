import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { RetryAfterError } from '../../src/index.ts'
import { createGatedConsumer, running } from '../contracts/gated-consumer.ts'
import { createConsumer } from '../contracts/recording-consumer.ts'
import { createAbout } from '../contracts/signed-notification.ts'
import { waitFor } from '../contracts/wait-for.ts'
import { describeInChromium } from './chromium.ts'
import { openSqlite } from './open-sqlite.ts'
import { serveConsole } from './serve-console.ts'

const line = (page: Page) => page.getByRole('region', { name: 'Health' })

describeInChromium("the health on an inbox's page", (open) => {
  it('says what is wrong, and leads to the entry whose handler hangs', async () => {
    // Received an hour ago.
    const receivedAt = new Date(Date.now() - 3_600_000)
    const inbox = await openSqlite({ maxAttempts: 1, oneAtATime: true })
    const page = await open(await serveConsole(inbox), 1_440, /503/)
    await line(page).getByText('Healthy').waitFor()
    await line(page).getByText('Last received: never').waitFor()

    const consumer = createGatedConsumer()
    for (const name of ['dead', 'hanging', 'waiting'])
      await inbox.put({ ...createAbout('payment:1', name), receivedAt })
    await inbox.start(consumer)
    await running(consumer, 'dead')
    consumer.end('dead', new Error('down'))
    await running(consumer, 'hanging')
    await waitFor(async () => (await inbox.counts()).dead === 1)
    await line(page).getByText('1 notification failed for good').waitFor()
    await line(page)
      .getByText(/^A notification has been due for 6\d minutes/)
      .waitFor()
    await line(page).getByRole('link', { name: 'payment:1' }).click()
    await page.getByText('Active since').waitFor()
    for (const name of ['hanging', 'waiting']) {
      await running(consumer, name)
      consumer.end(name)
    }
    await waitFor(async () => (await inbox.counts()).completed === 2)

    await inbox.close()
    await line(page).getByText('The inbox is not available.').waitFor()
  })

  it('shows what waits on purpose, until when and why', async () => {
    const inbox = await openSqlite()
    const page = await open(await serveConsole(inbox))
    await inbox.put(createAbout('payment:1', 'early'))
    const notYet = new RetryAfterError('no order yet', { afterMs: 3_600_000 })
    await inbox.start(createConsumer(() => Promise.reject(notYet)))
    await line(page).getByText('Deferred: 1').waitFor()
    await page.getByRole('button', { name: /^Waiting/ }).click()
    const row = page.getByRole('option').filter({ hasText: /Until .*: RetryAfterError: no order yet/ })
    await row.click()
    await page.getByText('Why it waits').waitFor()
    await page.getByText('Next attempt').waitFor()
  })

  it('pauses with a reason, and resumes', async () => {
    const inbox = await openSqlite()
    const page = await open(await serveConsole(inbox))
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Pause …' }).click()
    await dialog.getByLabel('Reason').fill('bad deploy')
    await dialog.getByRole('button', { name: 'Pause' }).click()
    await page.getByText(/^Paused since \d/).waitFor()
    await page.getByText('bad deploy', { exact: true }).waitFor()
    expect((await inbox.health()).paused?.reason).toBe('bad deploy')
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText(/^Paused since/).waitFor({ state: 'detached' })
    await line(page).getByText('Healthy').waitFor()
    expect((await inbox.health()).paused).toBeNull()
  })
})

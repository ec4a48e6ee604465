import type { Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import type { Inbox } from '../../src/inbox/inbox.ts'
import { createReceiver, RetryAfterError } from '../../src/index.ts'
import { createNotification } from '../../src/testing/index.ts'
import { openSqlite } from '../cli/test-inboxes.ts'
import { createGatedConsumer, running } from '../contracts/gated-consumer.ts'
import { createConsumer } from '../contracts/recording-consumer.ts'
import { createAbout, signedFrom } from '../contracts/signed-notification.ts'
import { waitFor } from '../contracts/wait-for.ts'
import { button, describeInChromium, hold, seen } from './chromium.ts'
import { serveConsole } from './serve-console.ts'

const clientId = 'payhook-demo-client'
const rows = (page: Page) => page.getByRole('list', { name: 'Notifications' }).getByRole('listitem')
const health = (page: Page) => page.getByRole('region', { name: 'Health' })

/** An inbox whose handler fails while `broken` says so, and its console. */
async function openFilledInbox(ids: readonly (string | number)[], failure = 'The ledger is down') {
  const { inbox } = await openSqlite({ maxAttempts: 1 })
  const circumstances = { broken: true }
  const receiver = createReceiver({ clientId, inbox, logger: { warn: () => {}, error: () => {} } })
  receiver.onAny((event) => {
    if (circumstances.broken && event.type !== 'ACCOUNT_STATUS_UPDATED') throw new Error(failure)
  })
  await receiver.start()
  onTestFinished(() => receiver.stop())
  for (const id of ids)
    await receiver.receive(createNotification('INBOUND_PAYMENT_STATUS_UPDATED', { clientId, data: { id } }))
  await receiver.receive(createNotification('ACCOUNT_STATUS_UPDATED', { clientId }))
  await settled(inbox)
  return { inbox, circumstances, url: await serveConsole(inbox) }
}

const settled = (inbox: Inbox) =>
  waitFor(async () => {
    const { waiting, active } = await inbox.counts()
    return waiting + active === 0
  })

describeInChromium("an inbox's page", (open) => {
  it('shows why a notification is dead, and what it says, and runs no markup of it', async () => {
    const markup = '<img src=x onerror="window.ran=1"><script>window.ran=1</script>'
    const { url } = await openFilledInbox(['9223372036854775807', markup], `The ledger is down ${markup}`)
    const page = await open(url)
    await expect.poll(() => rows(page).count()).toBe(2)
    await rows(page)
      .filter({ hasText: /Complete.*9223372036854775807 1250.5 USD/ })
      .click()
    await page.getByText('Why it is dead').waitFor()
    // Whatever the list shows by now, one sees which payment this is.
    await page.getByRole('article').getByText('payment:9223372036854775807 1250.5 USD').waitFor()
    await page.getByRole('region', { name: 'Error' }).getByText('Error: The ledger is down <img').waitFor()
    await page.getByText('"9223372036854775807"').waitFor()
    await rows(page).last().click()
    await page.getByText(/"id": "<img src=x/).waitFor()
    for (const view of ['Exact text', 'Bytes', 'Event']) await button(page, view).click()
    expect(await page.evaluate(`'ran' in window`)).toBe(false)
    expect(await page.locator('img, script:not([type=module])').count()).toBe(0)
  })

  it('replays one, the marked ones, and all dead ones', async () => {
    const { inbox, circumstances, url } = await openFilledInbox([1, 2, 3, 4])
    const page = await open(url)
    circumstances.broken = false
    await rows(page).first().click()
    await button(page, 'Replay').click()
    await page.getByText('1 notification replayed').waitFor()
    await expect.poll(() => rows(page).count()).toBe(3)
    await rows(page).nth(0).getByRole('checkbox').check()
    await rows(page).nth(1).getByRole('checkbox').check()
    await button(page, 'Replay 2 marked').click()
    await expect.poll(() => rows(page).count()).toBe(1)
    await button(page, 'Replay …').click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByLabel('Finished in').first().inputValue()).toBe('')
    await dialog.getByLabel('Error contains').fill('no such text')
    await dialog.getByRole('button', { name: 'Count' }).click()
    await dialog.getByText('0 notifications would be replayed.').waitFor()
    await dialog.getByLabel('Error contains').fill('')
    await dialog.getByRole('button', { name: 'Count' }).click()
    await dialog.getByText('1 notification would be replayed.').waitFor()
    expect((await inbox.counts()).dead).toBe(1)
    await dialog.getByRole('button', { name: 'Replay' }).click()
    await page.getByText('No dead notifications').waitFor()
    await settled(inbox)
  })

  it('replays many that are marked in requests which a proxy accepts', async () => {
    const { inbox } = await openSqlite()
    for (let id = 1; id <= 101; id++) await inbox.put(createAbout(`payment:${id}`, `body ${id}`))
    const page = await open(await serveConsole(inbox))
    const asked: string[] = []
    page.on('request', (request) => void (request.method() === 'POST' && asked.push(request.url())))
    await button(page, /^Waiting/).click()
    await expect.poll(() => rows(page).count()).toBe(101)
    await page.evaluate(`for (const box of document.querySelectorAll('.item input')) box.click()`)
    await button(page, 'Replay 101 marked').click()
    await page.getByText('101 notifications replayed').waitFor()
    expect(asked).toHaveLength(2)
  })

  it('asks before it handles again what a click before has replayed', async () => {
    const { inbox, circumstances, url } = await openFilledInbox([1])
    circumstances.broken = false
    const page = await open(url)
    await rows(page).first().click()
    await button(page, 'Replay').click()
    await page.getByText('1 notification replayed').waitFor()
    await settled(inbox)
    await button(page, 'Replay').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Already handled: 1 notification.').waitFor()
    const [{ idempotencyKey } = {}] = await inbox.list({ subject: 'payment:1' })
    await dialog.getByRole('button', { name: 'Replay' }).click()
    await dialog.waitFor({ state: 'detached' })
    await settled(inbox)
    expect((await inbox.list({ subject: 'payment:1' }))[0]?.idempotencyKey).not.toBe(idempotencyKey)
  })

  it('replays once for a double click, while the request runs, and while a key is held', async () => {
    const { inbox, circumstances, url } = await openFilledInbox([1, 2, 3])
    circumstances.broken = false
    const page = await open(url)
    const asked: string[] = []
    page.on('request', (request) => void (request.method() === 'POST' && asked.push(request.url())))
    const letGo = await hold(page, /call=replay/)
    await rows(page).first().getByRole('link').click()
    await button(page, 'Replay').dblclick()
    await page.locator('button[aria-busy=true]').click()
    letGo()
    await page.getByText('1 notification replayed').waitFor()
    await expect.poll(() => rows(page).count()).toBe(2)
    expect(asked).toHaveLength(1)

    await page.keyboard.press('j')
    await page.getByText('Why it is dead').waitFor()
    for (let times = 0; times < 5; times++) await page.keyboard.down('r')
    await page.keyboard.up('r')
    await expect.poll(() => rows(page).count()).toBe(1)
    expect(asked).toHaveLength(2)

    await page.keyboard.press('j')
    await page.getByText('Why it is dead').waitFor()
    await button(page, 'Replay').focus()
    await page.keyboard.down('Enter')
    await expect.poll(() => rows(page).count()).toBe(0)
    await settled(inbox)
    await page.locator('.chip', { hasText: 'Completed' }).waitFor()
    for (let times = 0; times < 5; times++) await page.keyboard.down('Enter')
    await page.keyboard.up('Enter')
    expect(asked).toHaveLength(3)
  })

  it('proposes to replay what is searched for', async () => {
    const { url } = await openFilledInbox([1, 2])
    const page = await open(url)
    const dialog = page.getByRole('dialog')
    await page.getByRole('searchbox').fill('ledger')
    await button(page, 'Replay …').click()
    await expect.poll(() => dialog.getByLabel('Error contains').inputValue()).toBe('ledger')
    await button(page, 'Cancel').click()
    for (const search of ['payment:1', '1']) {
      await page.getByRole('searchbox').fill(search)
      await page.getByText('1 listed').waitFor()
      await button(page, 'Replay …').click()
      await expect.poll(() => dialog.getByLabel('Subject').inputValue()).toBe('payment:1')
      expect(await dialog.getByLabel('Error contains').inputValue()).toBe('')
      await button(page, 'Cancel').click()
      await page.getByRole('searchbox').fill('')
      await page.getByText('3 listed').waitFor()
    }
  })

  it('returns the focus to the item from which one goes back to the list', async () => {
    const { url } = await openFilledInbox([1, 2, 3])
    const page = await open(url, 320)
    const ways = [
      () => button(page, '‹ Back to the list').click(),
      () => page.keyboard.press('Escape'),
      () => page.goBack(),
    ]
    for (const goBack of ways) {
      await rows(page).nth(1).getByRole('link').press('Enter')
      await page.getByText('Why it is dead').waitFor()
      await goBack()
      await rows(page).nth(1).locator('a:focus').waitFor()
    }
  })

  it('goes on at the place of what has left the list, and keeps the focus there', async () => {
    const { circumstances, url } = await openFilledInbox([1, 2, 3, 4, 5])
    circumstances.broken = false
    const page = await open(url)
    const hasFocus = (selector: string) => page.locator(`${selector}:focus`).waitFor()
    const isOpen = (id: number) =>
      page.locator('a:focus[aria-current=true]', { hasText: `payment:${id} ` }).waitFor()
    await expect.poll(() => rows(page).count()).toBe(5)
    for (const id of [1, 2]) {
      await page.keyboard.press('j')
      await isOpen(id)
    }
    await page.keyboard.press('r')
    await expect.poll(() => rows(page).count()).toBe(4)
    await hasFocus('ul')
    await page.keyboard.press('j')
    await isOpen(3)

    await button(page, 'Delete …').press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter')
    await expect.poll(() => rows(page).count()).toBe(3)
    await hasFocus('ul')
    await page.keyboard.press('ArrowDown')
    await isOpen(4)
    await page.keyboard.press('Escape')
    await page.keyboard.press('ArrowDown')
    await isOpen(5)
    await button(page, 'Show all of payment:5').press('Enter')
    await hasFocus('#detail')
  })

  it('finds what happened to a payment, in all states and in the order of arrival', async () => {
    const { inbox, circumstances, url } = await openFilledInbox([48121, 48122])
    circumstances.broken = false
    for (const kind of ['OUTBOUND_PAYMENT_STATUS_UPDATED', 'INBOUND_INVOICE_STATUS_UPDATED'] as const) {
      const { body } = createNotification(kind, { clientId, data: { id: 48121, payerAccountId: 48122 } })
      await inbox.put(signedFrom(Buffer.from(body)))
    }
    await settled(inbox)
    const page = await open(url)
    const subjects = async () => {
      const texts = await rows(page).allTextContents()
      return texts.map((text) => /([a-z]+:\d+).*?(Error|Completed)/.exec(text)?.slice(1).join(' '))
    }
    await page.getByRole('searchbox').fill('48121')
    await expect
      .poll(subjects)
      .toEqual(['payment:48121 Error', 'payment:48121 Completed', 'invoice:48121 Completed'])
    await rows(page).first().click()
    await page.getByText('Why it is dead').waitFor()
    await button(page, 'Show all of payment:48121').click()
    await expect.poll(subjects).toEqual(['payment:48121 Error', 'payment:48121 Completed'])
    await button(page, /^Dead/).click()
    await expect.poll(subjects).toEqual(['payment:48121 Error'])
    await page.getByRole('searchbox').fill('nothing of this')
    await button(page, 'Show all').click()
    await expect.poll(() => rows(page).count()).toBe(5)
    await page.getByLabel('Kind').selectOption('ACCOUNT_STATUS_UPDATED')
    await expect.poll(() => rows(page).count()).toBe(1)
  })

  it('closes a dialog when the user goes back', async () => {
    const { inbox, url } = await openFilledInbox([1, 2])
    const page = await open(url)
    await rows(page).first().click()
    await rows(page).last().click()
    await button(page, 'Delete …').click()
    await page.goBack()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect((await inbox.counts()).dead).toBe(2)
  })

  it('shows the error of a dialog in the dialog, and closes no other one at the end of its work', async () => {
    const { inbox, circumstances, url } = await openFilledInbox([1, 2])
    circumstances.broken = false
    const page = await open(url, 1_440, /400/)
    const dialog = page.getByRole('dialog')
    await rows(page).first().click()
    await button(page, 'Delete …').click()
    const [{ id = '' } = {}] = await inbox.list({ state: 'dead' })
    // By another user.
    await inbox.replay(id)
    await settled(inbox)
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('status').getByText('It was not deleted: it is completed now.').waitFor()
    await button(page, 'Cancel').click()

    const letGo = await hold(page, /call=replay-all/)
    await button(page, 'Replay …').click()
    await dialog.getByRole('button', { name: 'Replay' }).click()
    await page.locator('form[aria-busy=true]').waitFor()
    await page.keyboard.press('Escape')
    await button(page, 'Pause …').click()
    letGo()
    await dialog.getByText('1 notification replayed').waitFor()
    await expect.poll(() => rows(page).count()).toBe(0)
    await dialog.getByLabel('Reason').waitFor()
  })

  it('drops a count of fields that were edited while it was on its way', async () => {
    const { url } = await openFilledInbox([1])
    const page = await open(url)
    const dialog = page.getByRole('dialog')
    await button(page, 'Replay …').click()
    const letGo = await hold(page, /call=replay-all/)
    const counted = page.waitForResponse(/call=replay-all/)
    await dialog.getByRole('button', { name: 'Count' }).click()
    await dialog.getByLabel('Error contains').fill('no such text')
    letGo()
    await (await counted).finished()
    await page.evaluate('new Promise(requestAnimationFrame)')
    expect(await dialog.getByText('would be replayed').count()).toBe(0)
  })

  it('lets a list load to its end although notifications come meanwhile', async () => {
    const { inbox, circumstances, url } = await openFilledInbox([1])
    circumstances.broken = false
    const page = await open(url)
    await expect.poll(() => rows(page).count()).toBe(1)
    const asked: string[] = []
    const completed = /state=completed&call=list/
    // The dead ones may be loaded once more: for the first counts.
    page.on('request', (request) => void (completed.test(request.url()) && asked.push(request.url())))
    const letGo = await hold(page, completed)
    await button(page, /^Completed/).click()
    await inbox.put(createAbout('payment:1', 'later'))
    await button(page, /^Completed 2/).waitFor()
    expect(asked).toHaveLength(1)
    letGo()
    await expect.poll(() => rows(page).count()).toBe(2)
  })

  it('loads no more of a list again than what was scrolled to', async () => {
    const { inbox, circumstances, url } = await openFilledInbox([1])
    circumstances.broken = false
    for (let id = 1_000; id < 1_250; id++) await inbox.put(createAbout(`payment:${id}`, String(id)))
    await settled(inbox)
    const page = await open(url)
    await button(page, 'All').click()
    await page.getByText('201 listed').waitFor()
    const [{ id = '' } = {}] = await inbox.list({ state: 'dead' })
    await inbox.delete(id)
    await page.getByText(/^2(?:00|51) listed$/).waitFor()
    expect(await rows(page).count()).toBe(200)
  })

  it('shows an entry whose response comes after the next counts', async () => {
    const { url } = await openFilledInbox([1])
    const page = await open(url)
    let asked = 0
    await page.route(/call=entry/, async (route) => {
      if (asked++ > 0) return
      await page.waitForResponse(/call=counts/)
      await page.waitForRequest(/call=health/)
      await route.continue()
    })
    await rows(page).getByRole('link').click()
    await page.getByText('Why it is dead').waitFor()
  })

  it('works at an address with a password in it', async () => {
    const { url } = await openFilledInbox([1])
    const page = await open(url.replace('//', '//ops:secret@'))
    await rows(page).getByRole('link').click()
    await page.getByText('Why it is dead').waitFor()
  })

  it('says that the server hangs, and goes on once it does not', async () => {
    const { url } = await openFilledInbox([1])
    const page = await open(url)
    await health(page).getByText('Needs attention').waitFor()
    await page.route(/call=health/, () => {})
    await page.getByText('The server does not respond.').waitFor()
    await health(page).getByText('Not available').waitFor()
    await page.unrouteAll()
    await page.getByText('Live', { exact: true }).waitFor()
  })

  it('says that its rows are old while the list cannot be read', async () => {
    const { inbox, url } = await openFilledInbox([1])
    const page = await open(url, 1_440, /503/)
    await expect.poll(() => rows(page).count()).toBe(1)
    await page.route(/call=list/, (route) => route.fulfill({ status: 503, json: { message: 'No database' } }))
    await inbox.put(createAbout('payment:2', 'unseen'))
    const failure = page.getByRole('region', { name: 'List' }).getByText('No database')
    await failure.waitFor()
    expect(await rows(page).count()).toBe(1)
    await page.unroute(/call=list/)
    await failure.waitFor({ state: 'detached' })
  })

  it('closes a dialog whose work was done, although what it changed cannot be shown', async () => {
    const { circumstances, url } = await openFilledInbox([1])
    circumstances.broken = false
    const page = await open(url, 1_440, /503/)
    await expect.poll(() => rows(page).count()).toBe(1)
    await page.route(/call=(?:list|health)/, (route) => route.fulfill({ status: 503 }))
    await button(page, 'Replay …').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click()
    await page.getByText('1 notification replayed').waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('is used by keyboard alone', async () => {
    const { circumstances, url } = await openFilledInbox([1, 2, 3])
    const page = await open(url)
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    await expect.poll(() => rows(page).count()).toBe(3)
    await press('j')
    await page.getByText('Why it is dead').waitFor()
    circumstances.broken = false
    await press('x', 'j', 'x', 'r')
    await page.getByText('2 notifications replayed').waitFor()
    await press('4')
    await expect.poll(() => rows(page).count()).toBe(3)
    await press('?', 'Escape')
    await button(page, 'Pause …').press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await page.evaluate('document.activeElement.textContent.slice(0, 20)')).toBe('Pause …')
    // A dialog is open before the next key is handled.
    const isOpen = await page.evaluate(`
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '?', bubbles: true }))
      new Promise((resolve) => setTimeout(resolve)).then(() => document.querySelector('dialog[open]') !== null)`)
    expect(isOpen).toBe(true)
    await page.getByText('Keyboard shortcuts').waitFor()
  })

  it('says why an entry cannot be shown: it was deleted, or the login has ended', async () => {
    const { inbox, url } = await openFilledInbox([1])
    const [{ id = '' } = {}] = await inbox.list({ state: 'dead' })
    await inbox.delete(id)
    const deleted = await open(`${url}#/entries/${id}`, 1_440, /404/)
    await deleted.getByText(`The inbox has no entry "${id}".`).waitFor()

    const authorize = ({ url: to }: Request) =>
      !to.includes('call') || Response.redirect(`${new URL(to).origin}/login`, 303)
    const loggedOut = await open(`${await serveConsole(inbox, authorize)}#/entries/${id}`)
    await loggedOut.locator('.detail', { hasText: 'You are no longer logged in. Reload the page.' }).waitFor()
  })

  it('says that the login has ended, before anything is clicked', async () => {
    const { inbox } = await openFilledInbox([1])
    let loggedIn = true
    const authorize = ({ url }: Request) => loggedIn || Response.redirect(`${new URL(url).origin}/login`, 303)
    const page = await open(await serveConsole(inbox, authorize))
    await health(page).waitFor()
    loggedIn = false
    await seen(page, 'You are no longer logged in. Reload the page.')
    await health(page).getByText('Not available').waitFor()
  })

  it('leaves the list room in a low window, and says of which year an entry is', async () => {
    const { inbox } = await openSqlite()
    await inbox.put({ ...createAbout('payment:1', 'old'), receivedAt: new Date('2019-06-01') })
    const page = await open(await serveConsole(inbox))
    await page.setViewportSize({ width: 360, height: 300 })
    await button(page, /^Waiting/).click()
    await rows(page).filter({ hasText: '2019' }).getByRole('link').click()
    await page.getByText('Idempotency key').waitFor()
  })

  it('shows what is chosen in the colors that the user forces', async () => {
    const { url } = await openFilledInbox([1, 2])
    const page = await open(url)
    await page.emulateMedia({ forcedColors: 'active' })
    await rows(page).first().getByRole('link').click()
    const colors = (selector: string) =>
      page.evaluate<number>(`new Set([...document.querySelectorAll('${selector}')]
        .map((each) => getComputedStyle(each).backgroundColor)).size`)
    for (const selector of ['.tabs button', '.item a']) await expect.poll(() => colors(selector)).toBe(2)
  })

  it('prints all of an entry', async () => {
    const { url } = await openFilledInbox([1])
    const page = await open(url)
    await rows(page).getByRole('link').click()
    await page.getByText('Idempotency key').waitFor()
    await page.emulateMedia({ media: 'print' })
    const cut = () => page.evaluate<number>('detail.scrollHeight - detail.clientHeight')
    await expect.poll(cut).toBe(0)
  })

  it('lists a very long kind, which cannot be selected', async () => {
    const { inbox, url } = await openFilledInbox([1])
    for (const kind of ['K'.repeat(300), 'constructor', '__proto__'])
      await inbox.put(signedFrom(new TextEncoder().encode(`{"type":"${kind}","data":{}}`)))
    await settled(inbox)
    const page = await open(url)
    await expect.poll(() => rows(page).count()).toBe(4)
    const kinds = page.getByLabel('Kind')
    expect(await kinds.locator('option').allTextContents()).toEqual([
      'All kinds',
      'Inbound payment',
      '__proto__',
      'constructor',
    ])
    await kinds.selectOption('__proto__')
    await expect.poll(() => rows(page).count()).toBe(1)
    await button(page, 'Replay …').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click()
    await page.getByText('1 notification replayed').waitFor()
  })

  it('says what is wrong, and leads to the entry whose handler hangs', async () => {
    // Received an hour ago.
    const receivedAt = new Date(Date.now() - 3_600_000)
    const { inbox } = await openSqlite({ maxAttempts: 1, oneAtATime: true })
    const page = await open(await serveConsole(inbox), 1_440, /503/)
    await health(page).getByText('Healthy').waitFor()
    await health(page).getByText('Last received: never').waitFor()

    const consumer = createGatedConsumer()
    for (const name of ['dead', 'hanging', 'waiting'])
      await inbox.put({ ...createAbout('payment:1', name), receivedAt })
    await inbox.start(consumer)
    await running(consumer, 'dead')
    consumer.end('dead', new Error('down'))
    await running(consumer, 'hanging')
    await waitFor(async () => (await inbox.counts()).dead === 1)
    await health(page).getByText('1 notification failed for good').waitFor()
    await health(page)
      .getByText(/^A notification has been due for 6\d minutes/)
      .waitFor()
    await health(page).getByRole('link', { name: 'payment:1' }).click()
    await page.getByText('Active since').waitFor()
    for (const name of ['hanging', 'waiting']) {
      await running(consumer, name)
      consumer.end(name)
    }
    await waitFor(async () => (await inbox.counts()).completed === 2)

    await inbox.close()
    await health(page).getByText('The inbox is not available.').waitFor()
  })

  it('shows what waits on purpose, until when and why', async () => {
    const { inbox } = await openSqlite()
    const page = await open(await serveConsole(inbox))
    await inbox.put(createAbout('payment:1', 'early'))
    const notYet = new RetryAfterError('no order yet', { afterMs: 3_600_000 })
    await inbox.start(createConsumer(() => Promise.reject(notYet)))
    await page.getByRole('button', { name: /^Waiting/ }).click()
    const row = page.getByRole('listitem').filter({ hasText: /Until .*: RetryAfterError: no order yet/ })
    await row.click()
    await page.getByText('Why it waits').waitFor()
    await page.getByText('Next attempt').waitFor()
  })

  it('pauses with a reason, and resumes', async () => {
    const { inbox } = await openSqlite()
    const page = await open(await serveConsole(inbox))
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Pause …' }).click()
    await dialog.getByLabel('Reason').fill('bad deploy')
    await dialog.getByRole('button', { name: 'Pause' }).click()
    await page.getByText(/^Paused since \d/).waitFor()
    await page.getByText('bad deploy', { exact: true }).waitFor()
    // Above the list.
    expect((await health(page).boundingBox())?.y).toBeLessThan(200)
    expect((await inbox.health()).paused?.reason).toBe('bad deploy')
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText(/^Paused since/).waitFor({ state: 'detached' })
    await health(page).getByText('Healthy').waitFor()
    expect((await inbox.health()).paused).toBeNull()
  })
})

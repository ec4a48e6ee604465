import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Sandbox } from '../../src/sandbox/index.ts'
import { openSandbox, receiver } from '../sandbox/open-sandbox.ts'
import { describeInChromium, findBarriers, WIDTHS } from './chromium.ts'

const PAYMENT = 'INBOUND_PAYMENT_STATUS_UPDATED'

/** Calls the control API as the page does. */
async function control(sandbox: Sandbox, path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${sandbox.url}/_sandbox/${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  expect(response.ok).toBe(true)
  return response
}

const register = (sandbox: Sandbox, event: string, callbackUrl: string) =>
  control(sandbox, 'configurations', { event, callbackUrl })

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const seen = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const rows = (page: Page) => page.getByRole('listbox', { name: 'Deliveries' }).getByRole('option')
const row = (page: Page, text: string | RegExp) => rows(page).filter({ hasText: text }).first()

/** Goes to a view. On a phone, a delivery that is open covers the list. */
async function visit(page: Page, view: string): Promise<void> {
  const link = page.getByRole('navigation').getByRole('link', { name: view })
  await link.click()
  // Until then, the view before it is shown, which may have fields of the same name.
  await expect.poll(() => link.getAttribute('aria-current')).toBe('page')
}

async function typeInto(page: Page, label: string, text: string): Promise<void> {
  await page.getByLabel(label).fill(text)
}

describeInChromium("the sandbox's page", (open) => {
  it.each(WIDTHS)('shows and does everything at %d px, in light and dark', async (width) => {
    const sandbox = await openSandbox()
    const { url } = await receiver()
    const refusing = await receiver((response) =>
      response.writeHead(401).end('{"code":"signature_mismatch"}'),
    )
    const page = await open(sandbox.url, width)
    const barriers = new Map<string, string[]>()
    const inspect = async (name: string) => barriers.set(name, await findBarriers(page))

    // What to do while there is nothing.
    await visit(page, 'Deliveries')
    if (width > 760) {
      await seen(page, 'Nothing has been sent yet')
      await typeInto(page, 'Register its URL for all kinds', url)
      await button(page, 'Register').click()
      await seen(page, /Registered:/)
      await inspect('first steps')
    }

    // Configurations: create, edit, deactivate; credentials and the line for a token.
    await visit(page, 'Set up')
    await typeInto(page, 'Callback URL', url)
    await page.getByLabel('Kind').selectOption(PAYMENT)
    await button(page, 'Register').click()
    await page.getByRole('cell', { name: url }).first().waitFor()
    await page.getByLabel('Kind').selectOption('VBA_TRANSACTION')
    await button(page, 'Register').click()
    await button(page, /^Edit Virtual account transaction/)
      .first()
      .click()
    await page.getByLabel(/^URL of Virtual account transaction/).fill(refusing.url)
    await button(page, 'Save').click()
    await page.getByRole('cell', { name: refusing.url }).first().waitFor()
    await seen(page, sandbox.clientSecret)
    await seen(page, 'grant_type=client_credentials')
    await inspect('set up')

    // A payload for each kind, and a mistake in it.
    await visit(page, 'Send')
    await page.getByLabel('Kind').selectOption(PAYMENT)
    const editor = page.getByLabel('Data of the event')
    await expect.poll(() => editor.inputValue()).toContain('"status": "Complete"')
    await editor.fill('{\n  "status": Sent\n}')
    await button(page, /^Line 2, column 13: /).click()
    await inspect('a mistake')
    await editor.fill(
      '{"status":"Sent","amount":{"number":12345678901234567.89},"purposeOfPayment":"needle"}',
    )
    await button(page, 'Send').click()
    await page.getByRole('link', { name: '200' }).first().waitFor()
    await button(page, 'data as an object').click()
    await button(page, 'Send').click()
    await inspect('send')
    await page.reload()
    await page.getByLabel('Kind').selectOption(PAYMENT)
    await expect.poll(() => page.getByLabel('Data of the event').inputValue()).toContain('needle')

    // The detail: exact bytes, attempts, signature, curl.
    await visit(page, 'Deliveries')
    await row(page, 'Inbound payment Sent').click()
    await seen(page, /12345678901234567\.89/)
    await button(page, 'Exact text').click()
    await button(page, 'Bytes').click()
    await seen(page, /^000000 {2}7b 22/)
    await seen(page, /openssl dgst -sha256 -hmac sandbox-client-id/)
    await button(page, 'Copy as curl').click()
    await seen(page, 'curl command copied')
    await inspect('detail')

    // Resend; edit and resend, linked to the original.
    await button(page, 'Resend').click()
    await seen(page, /Resent from/)
    await button(page, /Edit and resend/).click()
    await expect
      .poll(() => page.getByLabel('Data of the event').inputValue())
      .toContain('12345678901234567.89')
    await page.getByLabel('Data of the event').fill('{"id":9223372036854775807,"status":"Closed"}')
    await inspect('edit')
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click()
    await seen(page, /"id": 9223372036854775807/)
    const bodies = sandbox.deliveries().map(({ body }) => body)
    expect(bodies.at(-1)).toBe(`{"type":"${PAYMENT}","data":{"id":9223372036854775807,"status":"Closed"}}`)

    // Why a receiver refuses, attempt by attempt, and why a signature fails.
    await sandbox.trigger('VBA_TRANSACTION')
    await visit(page, 'Deliveries')
    await row(page, '401, 3 attempts').click()
    await seen(page, 'The receiver answered 401')
    await page.getByRole('heading', { name: '3 attempts' }).waitFor()
    await inspect('refused')
    await button(page, 'Check this signature').click()
    await button(page, 'Check').click()
    await seen(page, 'The signature is valid')
    const body = page.getByLabel('Body, exactly as it arrived')
    await body.fill(`${await body.inputValue()}\n`)
    await button(page, 'Check').click()
    await seen(page, 'newline_added')
    await inspect('check')

    // Filter, and search in bodies.
    await visit(page, 'Deliveries')
    await page.getByLabel('State').selectOption('failed')
    await expect.poll(() => rows(page).count()).toBeGreaterThan(0)
    await row(page, 'Virtual account transaction').waitFor()
    await page.getByLabel('State').selectOption('')
    await page.getByLabel('Search in bodies').fill('NEEDLE')
    await row(page, 'Inbound payment').waitFor()
    await expect.poll(() => row(page, 'Virtual account').count()).toBe(0)
    await page.getByLabel('Search in bodies').fill('nothing of this')
    await button(page, 'Show all deliveries').click()
    await inspect('list')

    // Faults on and off.
    await visit(page, 'Faults')
    await page.getByLabel('Wrong signature').check()
    await seen(page, 'Faults: signature')
    await inspect('faults')
    await sandbox.trigger(PAYMENT)
    await button(page, 'Switch all off').click()
    await seen(page, 'None is on')

    // A payment on the picture of its statuses, and an invoice.
    await visit(page, 'Walk')
    await page.getByLabel('between').selectOption('0')
    await button(page, 'Walk the usual way').click()
    await page.locator('[aria-current=step]', { hasText: 'Complete' }).waitFor()
    await page.getByRole('link', { name: 'Inbound payment' }).nth(4).waitFor()
    await button(page, 'Invoice').click()
    await button(page, 'Claimed').click()
    await page.locator('[aria-current=step]', { hasText: 'Claimed' }).waitFor()
    await inspect('walk')

    await visit(page, 'Set up')
    await button(page, /^Deactivate Virtual account transaction/)
      .first()
      .click()
    await seen(page, 'Inactive')

    for (const [name, found] of barriers) expect({ name, found }).toEqual({ name, found: [] })
  })

  it('is used by keyboard alone', async () => {
    const sandbox = await openSandbox()
    const { url } = await receiver()
    await register(sandbox, PAYMENT, url)
    for (const id of [1, 2, 3]) await sandbox.trigger(PAYMENT, { id })
    const page = await open(sandbox.url)
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    await row(page, 'Inbound payment').waitFor()
    await press('?')
    await seen(page, 'Keyboard shortcuts')
    await press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    // Down to the second, from anywhere and then in the list itself.
    await press('j', 'j')
    await seen(page, /"id": 2,/)
    await page.getByRole('listbox').focus()
    await press('ArrowDown', 'Enter')
    await seen(page, /"id": 1,/)
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('detail-title')
    await press('r')
    await seen(page, /Resent from/)
    await press('e')
    const editor = page.getByLabel('Data of the event')
    await editor.focus()
    await press('Control+a')
    await page.keyboard.type('{"id":4,"status":"Sent"}')
    await press('Tab', 'Tab', 'Enter')
    await seen(page, /"id": 4/)
    await press('Escape', '/')
    await page.keyboard.type('"id\\":4')
    await expect.poll(() => rows(page).count()).toBe(1)
    await press('Escape', '2')
    await page.getByLabel('Data of the event').focus()
    await press('Control+Enter')
    await seen(page, 'Nothing was sent: nobody is registered for this kind.')
    await press('Escape', '4')
    await page.getByLabel('Lost', { exact: true }).focus()
    await press('Space')
    await seen(page, 'Faults: drop')
    await press('0')
    await page.getByText('Faults: drop').waitFor({ state: 'detached' })
  })

  it('keeps few rows in the document while 10,000 deliveries stream in', async () => {
    const sandbox = await openSandbox()
    await register(sandbox, PAYMENT, 'http://127.0.0.1:9/')
    const page = await open(sandbox.url)
    await seen(page, 'Live')
    await page.evaluate(`
      most = 0
      new MutationObserver(() => { most = Math.max(most, document.querySelectorAll('.item').length) })
        .observe(document.body, { childList: true, subtree: true })
    `)
    const faults = { burst: 10_000, drop: true }
    await control(sandbox, 'trigger?wait=false', { kind: PAYMENT, data: { id: 1 }, faults })
    await page.locator('.tools [role=status]', { hasText: /^10,000$/ }).waitFor()
    await page.getByRole('listbox').focus()
    await page.keyboard.press('End')
    await expect
      .poll(() => rows(page).and(page.locator('[aria-selected=true]')).getAttribute('aria-posinset'))
      .toBe('10000')
    const most = await page.evaluate('most')
    expect(most).toBeGreaterThan(5)
    expect(most).toBeLessThan(200)
    await page.getByLabel('Search in bodies').fill('"id\\":9876,')
    await page.locator('.tools [role=status]', { hasText: /^1 of 10,000$/ }).waitFor()
  })

  it('runs no markup of a notification, a receiver or a configuration', async () => {
    const markup =
      '<img src=x onerror="window.ran=1"><script>window.ran=1</script>"\'><svg onload=window.ran=1>'
    const sandbox = await openSandbox()
    const { url } = await receiver((response) => response.writeHead(500).end(markup))
    await register(sandbox, PAYMENT, `${url}?${markup.replaceAll(' ', '/')}`)
    const fields = ['id', 'status', 'statusReason', 'originalRequestId', 'amount', 'debitTxn', markup]
    const data = Object.fromEntries(fields.map((field) => [field, markup]))
    for (const inline of [true, false]) await sandbox.trigger(PAYMENT, data, { inline })
    await control(sandbox, 'trigger', { kind: PAYMENT, body: markup, contentType: 'text/html' })
    const page = await open(sandbox.url)
    await row(page, 'Inbound payment').waitFor()
    const count = await rows(page).count()
    expect(count).toBe(3)
    for (let index = 0; index < count; index++) {
      await rows(page).nth(index).click()
      await seen(page, 'Headers')
      await seen(page, /<img src=x onerror/)
      for (const view of ['Exact text', 'Bytes', 'Readable']) await button(page, view).click()
      await button(page, /Edit and resend/).click()
      await button(page, 'Cancel').click()
    }
    await button(page, 'Check this signature').click()
    await visit(page, 'Set up')
    await page.getByRole('table').waitFor()
    expect(await page.evaluate(`'ran' in window`)).toBe(false)
    expect(await page.locator('img, script:not([type=module]), svg[onload]').count()).toBe(0)
  })

  it('shows very long kinds and URLs, and a body that is nested too deeply to be formatted', async () => {
    const sandbox = await openSandbox()
    const { url } = await receiver((response) => response.end())
    await register(sandbox, PAYMENT, `${url}?${'y'.repeat(3_000)}`)
    await control(sandbox, 'trigger', { kind: 'K'.repeat(1_000), data: {} })
    await control(sandbox, 'trigger', { kind: PAYMENT, body: '['.repeat(300_000) })
    const page = await open(`${sandbox.url}/#/deliveries/%`)
    await rows(page).nth(1).click()
    await button(page, 'Bytes').click()
    await rows(page).nth(0).click()
    await seen(page, /^\[{100}/)
    await button(page, /Edit and resend/).click()
    await button(page, 'Cancel').click()
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
  })
})

import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { parse } from '../../src/parse.ts'
import type { ControlResponse } from '../../src/sandbox/control/control-call.ts'
import type { Sandbox } from '../../src/sandbox/index.ts'
import { control } from '../sandbox/control/control-calls.ts'
import { openSandbox, receiver } from '../sandbox/open-sandbox.ts'
import { button, describeInChromium, hold, seen } from './chromium.ts'

const PAYMENT = 'INBOUND_PAYMENT_STATUS_UPDATED'

const register = (sandbox: Sandbox, event: string, callbackUrl: string) =>
  control(sandbox, 'POST configurations', { event, callbackUrl })

/** A sandbox that notifies a receiver of payments. */
async function openNotifying(...respond: Parameters<typeof receiver>): Promise<Sandbox> {
  const sandbox = await openSandbox()
  await register(sandbox, PAYMENT, (await receiver(...respond)).url)
  return sandbox
}

const rows = (page: Page) => page.getByRole('list', { name: 'Deliveries' }).getByRole('link')
const row = (page: Page, text: string | RegExp) => rows(page).filter({ hasText: text }).first()

async function activeUrls(sandbox: Sandbox): Promise<string[]> {
  const { json } = await control(sandbox, 'GET configurations')
  const { configurations } = json as unknown as ControlResponse<'GET configurations'>
  return configurations.filter(({ status }) => status === 'Active').map(({ callbackUrl }) => callbackUrl)
}

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
  it('says what to do before anything was sent', async () => {
    const sandbox = await openSandbox()
    const page = await open(sandbox.url)
    await seen(page, 'Nothing has been sent yet')
    await page.getByRole('link', { name: 'Register the URL' }).click()
    await seen(page, 'Callback URLs')
    await page.goBack()
    await page.getByRole('link', { name: 'send a notification' }).click()
    await button(page, 'Send').click()
    await seen(page, 'Nothing was sent: no URL is registered for this kind.')
    await page.getByRole('link', { name: 'Register that of your receiver.' }).click()
    await typeInto(page, 'Callback URL', 'http://127.0.0.1:9/')
    await page.getByLabel('Kind', { exact: true }).selectOption(PAYMENT)
    await button(page, 'Register').click()
    await expect.poll(() => activeUrls(sandbox)).toEqual(['http://127.0.0.1:9/'])
    await page.reload()
    await expect.poll(() => page.getByLabel('Callback URL').inputValue()).toBe('http://127.0.0.1:9/')
  })

  it('groups the configurations by URL, replaces one, and deactivates kinds', async () => {
    const sandbox = await openSandbox({ authorizePath: '/login/consent' })
    for (const event of [PAYMENT, 'VBA_TRANSACTION']) await register(sandbox, event, 'http://wrong.example/')
    await register(sandbox, 'ACCOUNT_STATUS_UPDATED', 'http://127.0.0.1:9/first')
    const page = await open(`${sandbox.url}/#/setup`)
    await page.getByRole('region', { name: 'http://wrong.example/' }).waitFor()

    // Once for each kind, although three of them are registered already.
    await typeInto(page, 'Callback URL', 'http://127.0.0.1:9/first')
    await button(page, 'Register').click()
    await page.getByRole('region', { name: 'http://wrong.example/' }).waitFor({ state: 'detached' })
    await expect.poll(() => activeUrls(sandbox)).toEqual(Array(10).fill('http://127.0.0.1:9/first'))

    await button(page, 'Deactivate Virtual card balance of http://127.0.0.1:9/first').click()
    await expect.poll(async () => (await activeUrls(sandbox)).length).toBe(9)
    await seen(page, sandbox.clientSecret)
    await seen(page, 'grant_type=client_credentials')
    const authorize = page.getByRole('link', { name: 'Open the authorize page' })
    expect((await fetch((await authorize.getAttribute('href')) ?? '')).status).toBe(200)
  })

  it('sends a payload that is edited, and marks a mistake in it', async () => {
    const sandbox = await openNotifying()
    const page = await open(`${sandbox.url}/#/send`)
    await page.getByLabel('Kind').selectOption(PAYMENT)
    const editor = page.getByLabel('Data of the event')
    await expect.poll(() => editor.inputValue()).toContain('"status": "Complete"')
    await editor.fill('{\n  "status": Sent\n}')
    await seen(page, /Unexpected token .S./)
    await button(page, 'Send').click()
    expect(await page.evaluate('document.activeElement.validationMessage')).toContain('not valid JSON')
    await editor.fill('{"status":"Sent","purposeOfPayment":"needle"}')
    await button(page, 'Send').click()
    await seen(page, /^200$/)
    await button(page, 'data as an object').click()
    await button(page, 'Send').click()
    await expect.poll(() => sandbox.deliveries().at(-1)?.body).toMatch(/"data":\{.*"needle"/)
    await page.reload()
    await page.getByLabel('Kind').selectOption(PAYMENT)
    await expect.poll(() => editor.inputValue()).toContain('needle')
  })

  it('sends a valid body as exact text, and keeps what is written for a kind of its own', async () => {
    const sandbox = await openNotifying()
    const page = await open(`${sandbox.url}/#/send`)
    const [kind, wire] = [page.getByLabel('Kind', { exact: true }), page.getByLabel('On the wire')]
    await kind.selectOption(PAYMENT)
    await button(page, 'Exact text').click()
    await button(page, 'Send').click()
    await expect.poll(() => sandbox.deliveries().map(({ body }) => parse(body).type)).toEqual([PAYMENT])

    await kind.selectOption('Another kind …')
    const editor = page.getByLabel('Body, sent exactly as shown here')
    await editor.fill('{"card":7}')
    await wire.fill('')
    expect(await wire.inputValue()).toBe('')
    await wire.fill('CARD_LOST')
    await visit(page, 'Walk')
    await visit(page, 'Send')
    expect(await wire.inputValue()).toBe('CARD_LOST')
    expect(await editor.inputValue()).toBe('{"card":7}')
  })

  it('edits the delivery that was chosen last', async () => {
    const sandbox = await openNotifying()
    for (const id of [1, 2]) await sandbox.trigger(PAYMENT, { id })
    const page = await open(sandbox.url)
    await row(page, 'payment:2').click()
    await seen(page, 'Headers')
    const letGo = await hold(page, '**/_sandbox/deliveries/*')
    await page.keyboard.press('e')
    await page.keyboard.press('j')
    await page.keyboard.press('e')
    letGo()
    await expect.poll(() => page.getByLabel('Data of the event').inputValue()).toContain('"id": 1,')
  })

  it('shows what was sent, saves it in a file, and resends it, edited or not', async () => {
    const sandbox = await openNotifying((response) => response.end('{"received":true,"duplicate":true}'))
    await sandbox.trigger(PAYMENT, { status: 'Sent', amount: { number: '12345678901234567.89' } })
    const page = await open(sandbox.url)
    await row(page, 'Inbound payment Sent').click()
    await seen(page, /^A duplicate: the receiver had this notification already/)
    await seen(page, /"number": 12345678901234567\.89/)
    await button(page, 'Exact text').click()
    await button(page, 'Bytes').click()
    await seen(page, /^000000 {2}7b 22/)
    await seen(page, /openssl dgst -sha256 -hmac 'sandbox-client-id'/)
    await page.getByText('Response headers').click()
    await button(page, 'Copy as curl').click()
    await seen(page, 'curl command copied')
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      button(page, 'Save as a fixture').click(),
    ])
    expect(file.suggestedFilename()).toMatch(/^inbound_payment_status_updated-\d+-sent\.json$/)
    expect(readFileSync(await file.path(), 'utf8')).toBe(sandbox.deliveries()[0]?.body)

    await button(page, 'Resend').click()
    await seen(page, /Resent from/)
    await button(page, /Edit and resend/).click()
    const editor = page.getByLabel('Data of the event')
    await expect.poll(() => editor.inputValue()).toContain('12345678901234567.89')
    await editor.fill('{"id":9223372036854775807,"status":"Closed"}')
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click()
    await seen(page, /"id": 9223372036854775807/)
    const bodies = sandbox.deliveries().map(({ body }) => body)
    const data = '{"id":9223372036854775807,"status":"Closed"}'
    expect(bodies.at(-1)).toBe(`{"type":"${PAYMENT}","data":${JSON.stringify(data)}}`)
  })

  it('loads a list again that could not be loaded', async () => {
    const sandbox = await openNotifying()
    const page = await open(sandbox.url, 1_440, /503/)
    await seen(page, 'Nothing has been sent yet')
    const isList = /deliveries\?limit=100$/
    await page.route(isList, (route) => route.fulfill({ status: 503, json: { message: 'Full' } }))
    await sandbox.trigger(PAYMENT)
    await page.getByRole('region', { name: 'List' }).getByText('Full').waitFor()
    expect(await page.locator('.tools [role=status]').textContent()).toBe('')
    await page.unroute(isList)
    await row(page, 'Inbound payment').waitFor()
  })

  it('says why a receiver rejects, and why a signature does not verify', async () => {
    const sandbox = await openNotifying((response) =>
      response.writeHead(401).end('{"code":"signature_mismatch"}'),
    )
    await sandbox.trigger(PAYMENT)
    const page = await open(sandbox.url)
    await row(page, '401, 3 attempts').click()
    await seen(page, 'The receiver responded with 401')
    await page.getByRole('heading', { name: '3 attempts' }).waitFor()
    await button(page, 'Check this signature').click()
    await button(page, 'Check').click()
    await seen(page, 'The signature is valid')
    const body = page.getByLabel('Body, exactly as it arrived')
    await body.fill(`${await body.inputValue()}\n`)
    await button(page, 'Check').click()
    await seen(page, 'newline_added')

    const clientId = page.getByLabel('Client id')
    await clientId.fill('another')
    await visit(page, 'Send')
    await visit(page, 'Signature')
    expect(await clientId.inputValue()).toBe('another')
    const letGo = await hold(page, '**/check-signature')
    const checked = page.waitForResponse('**/check-signature')
    await button(page, 'Check').click()
    await clientId.fill(sandbox.clientId)
    letGo()
    await (await checked).finished()
    await page.evaluate('new Promise(requestAnimationFrame)')
    expect(await page.getByText('The signature does not verify').count()).toBe(0)
  })

  it('filters the deliveries, and searches in their bodies', async () => {
    const sandbox = await openNotifying()
    await register(sandbox, 'VBA_TRANSACTION', 'http://127.0.0.1:9/')
    await sandbox.trigger(PAYMENT, { purposeOfPayment: 'needle' })
    await sandbox.trigger('VBA_TRANSACTION')
    const page = await open(sandbox.url)
    await page.getByLabel('State').selectOption('failed')
    await expect.poll(() => rows(page).count()).toBe(1)
    await row(page, 'Virtual account transaction').waitFor()
    await page.getByLabel('State').selectOption('')
    await page.getByLabel('Search in bodies').fill('NEEDLE')
    await expect.poll(() => row(page, 'Virtual account').count()).toBe(0)
    await row(page, 'Inbound payment').waitFor()
    await page.getByLabel('Search in bodies').fill('nothing of this')
    await button(page, 'Show all').click()
    await expect.poll(() => rows(page).count()).toBe(2)
  })

  it('asks once for what is typed at once, and counts what the last filter finds', async () => {
    const sandbox = await openNotifying()
    await register(sandbox, 'VBA_TRANSACTION', 'http://127.0.0.1:9/')
    for (const kind of [PAYMENT, PAYMENT, 'VBA_TRANSACTION']) await sandbox.trigger(kind)
    const page = await open(sandbox.url)
    const [count, state] = [page.locator('.tools [role=status]'), page.getByLabel('State')]
    await expect.poll(() => count.textContent()).toBe('3')
    const letGo = await hold(page, /state=failed/)
    const [asked, found] = [page.waitForRequest(/state=failed/), page.waitForResponse(/state=failed/)]
    await state.selectOption('failed')
    await asked
    await state.selectOption('delivered')
    await expect.poll(() => count.textContent()).toBe('2')
    letGo()
    await (await found).finished()
    await page.evaluate('new Promise(requestAnimationFrame)')
    expect(await count.textContent()).toBe('2')

    const searches: string[] = []
    page.on('request', (request) => {
      const search = new URL(request.url()).searchParams.get('search')
      if (search !== null) searches.push(search)
    })
    await page.evaluate(`for (const text of ['nothing', 'nothing of', 'nothing of this']) {
      document.querySelector('#search').value = text
      document.querySelector('#search').dispatchEvent(new Event('input', { bubbles: true }))
    }`)
    await seen(page, 'No matches')
    expect(searches).toEqual(['nothing of this'])
  })

  it('selects the newest delivery while it follows, counts them in the title, and clears them', async () => {
    const sandbox = await openNotifying()
    for (const id of [1, 2]) await sandbox.trigger(PAYMENT, { id })
    // The one that is open is cleared, too.
    const page = await open(sandbox.url, 1_440, /404/)
    await expect.poll(() => page.title()).toMatch(/^\(2\) /)
    await page.getByLabel('Follow the newest').check()
    await seen(page, /"id": 2,/)
    await sandbox.trigger(PAYMENT, { id: 3 })
    await seen(page, /"id": 3,/)
    await row(page, 'payment:1').click()
    await expect.poll(() => page.getByLabel('Follow the newest').isChecked()).toBe(false)
    await button(page, 'Clear').click()
    await seen(page, 'Nothing has been sent yet')
    expect(sandbox.deliveries()).toEqual([])
    await expect.poll(() => page.title()).not.toContain('(')
  })

  it('switches faults on and off, and follows what others change', async () => {
    const sandbox = await openSandbox()
    const page = await open(`${sandbox.url}/#/faults`)
    await page.getByLabel('Wrong signature').check()
    await seen(page, 'Faults: signature')
    expect(sandbox.faults()).toMatchObject({ signature: 'wrong' })
    await button(page, 'Switch all off').click()
    await seen(page, 'None is on')
    await visit(page, 'Set up')
    const theirs = page.getByRole('region', { name: 'http://127.0.0.1:9/theirs' })
    await register(sandbox, PAYMENT, 'http://127.0.0.1:9/theirs')
    await theirs.waitFor()
    sandbox.setFaults({ drop: true })
    await seen(page, 'Faults: drop')
    await sandbox.reset()
    await page.getByText('Faults: drop').waitFor({ state: 'detached' })
    await theirs.waitFor({ state: 'detached' })
  })

  it('switches two faults on at once, and shows one as off that could not be switched on', async () => {
    const sandbox = await openSandbox()
    const page = await open(`${sandbox.url}/#/faults`, 1_440, /503/)
    await seen(page, 'None is on')
    const letGo = await hold(page, '**/faults')
    await page.getByLabel('Late').click()
    await page.getByLabel('Wrong signature').click()
    letGo()
    await expect.poll(() => sandbox.faults()).toMatchObject({ delayMs: 3_000, signature: 'wrong' })
    await page.route('**/faults', (route) => route.fulfill({ status: 503 }))
    await page.getByLabel('Burst').click()
    await seen(page, 'The server responded with 503.')
    await expect.poll(() => page.getByLabel('Burst').isChecked()).toBe(false)
  })

  it('walks a payment and an invoice', async () => {
    const sandbox = await openNotifying()
    const page = await open(`${sandbox.url}/#/walk`)
    await page.getByLabel('Pause between').selectOption('0')
    await button(page, 'Walk through the usual statuses').click()
    await page.locator('[aria-current=step]', { hasText: 'Complete' }).waitFor()
    // The style is that of the attribute, whatever its value.
    expect(await page.locator('.statuses [aria-current]').count()).toBe(1)
    await page.getByRole('link', { name: 'Inbound payment' }).nth(4).waitFor()
    await button(page, 'Invoice').click()
    const created: string[] = []
    page.on('request', (request) => void (request.url().endsWith('/invoices') && created.push(request.url())))
    const letGo = await hold(page, /\/invoices$/)
    await button(page, 'Claimed').dblclick()
    await button(page, 'MarkAsPaid').click()
    letGo()
    await page.locator('[aria-current=step]', { hasText: 'MarkAsPaid' }).waitFor()
    expect(created).toHaveLength(1)
  })

  it('walks another payment after a reset', async () => {
    const sandbox = await openNotifying()
    const page = await open(`${sandbox.url}/#/walk`, 1_440, /404/)
    const step = page.locator('[aria-current=step]', { hasText: 'Sent' })
    await button(page, 'Sent').click()
    await step.waitFor()
    await sandbox.reset()
    await button(page, 'Sent').click()
    await seen(page, 'No payment yet')
    await button(page, 'Sent').click()
    await step.waitFor()
  })

  it('reconnects after a 503, and holds no connection while it is hidden', async () => {
    const sandbox = await openSandbox()
    const page = await open(sandbox.url, 1_440, /503/)
    await page.route('**/stream', (route) => route.fulfill({ status: 503 }), { times: 1 })
    await page.reload()
    await seen(page, 'Live')
    const show = (shown: Page, hidden: boolean) =>
      shown.evaluate(`Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))`)
    await show(page, true)
    // A browser opens six connections to a host.
    for (let tab = 2; tab <= 7; tab++) {
      const other = await open(sandbox.url)
      await seen(other, 'Live')
      await show(other, true)
    }
    await register(sandbox, PAYMENT, 'http://127.0.0.1:9/')
    await sandbox.trigger(PAYMENT)
    await expect.poll(() => page.title()).toMatch(/^\(1\) /)
    await show(page, false)
    await row(page, 'Inbound payment').waitFor()
  })

  it('shows what was sent after it has connected again, although the list is filtered', async () => {
    const sandbox = await openNotifying()
    const page = await open(sandbox.url)
    await page.getByLabel('State').selectOption('failed')
    await visit(page, 'Send')
    await page.getByLabel('Kind').selectOption(PAYMENT)
    await button(page, 'Send').click()
    await seen(page, /^200$/)
    const loaded = page.waitForResponse(/state=failed/)
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
    await (await loaded).finished()
    await page.evaluate('new Promise(requestAnimationFrame)')
    await seen(page, /^200$/)
  })

  it('goes back and forward, and from an unknown view to the deliveries', async () => {
    const sandbox = await openSandbox()
    const page = await open(`${sandbox.url}/#/send`)
    await page.goto(sandbox.url)
    await seen(page, 'Nothing has been sent yet')
    await visit(page, 'Walk')
    await page.goBack()
    await seen(page, 'Nothing has been sent yet')
    await page.goForward()
    await seen(page, 'No payment yet')
    await page.goBack()
    await page.goBack()
    await seen(page, 'Send a notification')
    await page.evaluate(`location.hash = '#/constructor/1'`)
    await seen(page, 'Nothing has been sent yet')
  })

  it('is used by keyboard alone', async () => {
    const sandbox = await openNotifying()
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
    await page.getByRole('list', { name: 'Deliveries' }).getByRole('link').first().focus()
    const moves = { ArrowDown: 1, Home: 3, End: 1, PageUp: 3, PageDown: 1 }
    for (const [key, id] of Object.entries(moves)) {
      await press(key)
      await seen(page, new RegExp(`"id": ${id},`))
    }
    await press('Enter')
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('detail')
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
    await press('Escape')
    expect(await page.getByRole('searchbox').inputValue()).toBe('"id\\":4')
    await press('2')
    await page.getByLabel('Data of the event').focus()
    await press('Control+Enter')
    await seen(page, 'Nothing was sent: no URL is registered for this kind.')
    await press('Escape', '4')
    await page.getByLabel('Lost', { exact: true }).focus()
    await press('Space')
    await seen(page, 'Faults: drop')
    await press('0')
    await page.getByText('Faults: drop').waitFor({ state: 'detached' })
  })

  it('keeps few rows in the document while 500 deliveries stream in', async () => {
    const sandbox = await openSandbox()
    await register(sandbox, PAYMENT, 'http://127.0.0.1:9/')
    const page = await open(sandbox.url)
    await seen(page, 'Live')
    await page.evaluate(`
      most = 0
      new MutationObserver(() => { most = Math.max(most, document.querySelectorAll('.item').length) })
        .observe(document.body, { childList: true, subtree: true })
    `)
    const faults = { burst: 500, drop: true }
    await control(sandbox, 'POST trigger?wait=false', { kind: PAYMENT, data: { id: 1 }, faults })
    await page.locator('.tools [role=status]', { hasText: /^500$/ }).waitFor()
    expect(await page.evaluate('most')).toBe(100)
    await rows(page).last().scrollIntoViewIfNeeded()
    await expect.poll(() => rows(page).count()).toBe(200)
    await page.getByLabel('Search in bodies').fill('"id\\":376,')
    await page.locator('.tools [role=status]', { hasText: /^1$/ }).waitFor()
  })

  it('runs no markup of others, and shows what would reorder a text as an escape', async () => {
    const markup =
      '<img src=x onerror="window.ran=1"><script>window.ran=1</script>"\'><svg onload=window.ran=1>'
    const sandbox = await openSandbox()
    const { url } = await receiver((response) => response.writeHead(500).end(`\u2066${markup}`))
    await register(sandbox, PAYMENT, `${url}?${markup.replaceAll(' ', '/')}`)
    const fields = ['id', 'statusReason', 'originalRequestId', 'amount', 'debitTxn', markup]
    const data = {
      status: `\u202e\u200b\u009b\u3164${markup}`,
      ...Object.fromEntries(fields.map((field) => [field, markup])),
    }
    for (const inline of [true, false]) await sandbox.trigger(PAYMENT, data, { inline })
    await control(sandbox, 'POST trigger', { kind: PAYMENT, body: markup, contentType: 'text/html' })
    const page = await open(sandbox.url)
    await row(page, 'Inbound payment').waitFor()
    const count = await rows(page).count()
    expect(count).toBe(3)
    for (let index = 0; index < count; index++) {
      await rows(page).nth(index).click()
      await seen(page, 'Headers')
      await seen(page, /\\u2066<img src=x onerror/)
      for (const view of ['Exact text', 'Bytes', 'Readable']) await button(page, view).click()
      await button(page, /Edit and resend/).click()
      await button(page, 'Cancel').click()
    }
    await row(page, '\\u202e\\u200b\\u009b\\u3164<img').waitFor()
    expect(await page.evaluate('document.body.innerText')).not.toMatch(/[\p{Cf}\p{DI}\u009b]/u)
    await button(page, 'Check this signature').click()
    await visit(page, 'Set up')
    await page.getByRole('region', { name: url }).waitFor()
    expect(await page.evaluate(`'ran' in window`)).toBe(false)
    expect(await page.locator('img, script:not([type=module]), svg[onload]').count()).toBe(0)
  })

  it('shows very long kinds and URLs, and a body that is nested too deeply to be formatted', async () => {
    const sandbox = await openSandbox()
    const { url } = await receiver((response) => response.end())
    await register(sandbox, PAYMENT, `${url}?${'y'.repeat(3_000)}`)
    await control(sandbox, 'POST trigger', { kind: 'K'.repeat(1_000), data: {} })
    await control(sandbox, 'POST trigger', { kind: PAYMENT, body: '['.repeat(300_000) })
    const page = await open(`${sandbox.url}/#/deliveries/%`, 1_440, /404/)
    await rows(page).nth(1).click()
    await button(page, 'Bytes').click()
    await rows(page).nth(0).click()
    await seen(page, /^\[{100}/)
    await button(page, /Edit and resend/).click()
    await button(page, 'Cancel').click()
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
  })

  it('checks a receiver, and shows what was found', async () => {
    const sandbox = await openSandbox()
    const { url } = await receiver((response, { genuine }) => response.writeHead(genuine ? 200 : 401).end())
    const page = await open(`${sandbox.url}/#/check`)
    // All of them take as long as twenty other tests.
    const postData = JSON.stringify({ url, only: ['large-id', 'no-limit'] })
    await page.route(/checks\?wait=false$/, (route) => route.continue({ postData }))
    await page.getByLabel('URL of the receiver').fill(url)
    await page.getByRole('button', { name: 'Check the receiver' }).click()
    await page.getByText('2 of 3 cases passed').waitFor()
    await page.getByText(/A body of 16 megabytes.*got 200/).waitFor()
    await page.getByText('large-id', { exact: true }).waitFor()
  })

  it('offers the registered URL to check, shows the progress, and stops on request and with the sandbox', async () => {
    const sandbox = await openSandbox()
    const { url, arrivals } = await receiver((response) => void (arrivals.length > 3 || response.end()))
    await register(sandbox, 'VBA_TRANSACTION', url)
    const page = await open(`${sandbox.url}/#/check`, 1_440, /ERR_/)
    const field = page.getByLabel('URL of the receiver')
    await expect.poll(() => field.inputValue()).toBe(url)
    await button(page, 'Check the receiver').click()
    await expect.poll(() => page.getByRole('progressbar').getAttribute('value')).toBe('3')
    await button(page, 'Stop').click()
    await seen(page, 'Stopped.')
    expect(arrivals).toHaveLength(4)

    await button(page, 'Check the receiver').click()
    await expect.poll(() => arrivals.length).toBe(5)
    await button(page, 'Stop').waitFor()
    await sandbox.close()
    await seen(page, 'Stopped.')
    await openSandbox({ port: Number(new URL(sandbox.url).port) })
    await seen(page, 'Live')
    expect(await field.inputValue()).toBe(url)
    await button(page, 'Check the receiver').click()
    await button(page, 'Stop').waitFor()
  })

  it('says why a check does not start', async () => {
    const sandbox = await openSandbox()
    const page = await open(`${sandbox.url}/#/check`, 360, /400/)
    await page.getByLabel('URL of the receiver').fill('http://192.0.2.1/')
    await page.getByRole('button', { name: 'Check the receiver' }).click()
    await page.getByText('"url" option must be on this machine').waitFor()
    await page.getByLabel('URL of the receiver').fill('http://127.0.0.1:9/')
    await page.getByRole('button', { name: 'Check the receiver' }).click()
    await page.getByText('There is no connection').waitFor()
    await page.getByText('The other cases were skipped').waitFor()
    await page.reload()
    await expect.poll(() => page.getByLabel('URL of the receiver').inputValue()).toBe('http://127.0.0.1:9/')
  })
})

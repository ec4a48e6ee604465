import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openSqlite } from '../cli/test-inboxes.ts'
import { signedFrom } from '../contracts/signed-notification.ts'
import { control } from '../sandbox/control/control-calls.ts'
import { openSandbox } from '../sandbox/open-sandbox.ts'
import { button, describeInChromium, seen } from './chromium.ts'
import { serveConsole } from './serve-console.ts'

/** The limit of the control API is 1 MiB for a request with the body in Base64. */
const LENGTH = 780_000
const KIND = 'INBOUND_PAYMENT_STATUS_UPDATED'
const members = Array.from({ length: 35_000 }, (_, index) => `"member${index}":${index}`).join(',')
const inline = (data: string) => `{"type":"${KIND}","data":${data}}`
const text = (body: string) => new TextEncoder().encode(body)

/** A body of each shape that is slow to parse, to format or to lay out. */
const SHAPES: Record<string, Uint8Array> = {
  'an object with many members': text(inline(`{${members}}`)),
  'the same as a string': text(inline(JSON.stringify(`{${members}}`))),
  'many short numbers': text(inline(`[${'1,'.repeat(LENGTH / 2)}1]`)),
  'empty objects': text(inline(`[${'{},'.repeat(LENGTH / 3)}{}]`)),
  'one long string': text(inline(`{"text":"${'x'.repeat(LENGTH)}"}`)),
  'a string of escapes': text(inline(`{"text":"${'\\n'.repeat(LENGTH / 2)}"}`)),
  'deeply nested arrays': text(inline('['.repeat(LENGTH / 2) + ']'.repeat(LENGTH / 2))),
  'brackets that are not closed': text('['.repeat(LENGTH)),
  'a long id and a long status': text(
    inline(`{"id":"${'9'.repeat(LENGTH / 2)}","status":"${'S'.repeat(LENGTH / 2)}"}`),
  ),
  'a long kind': text(`{"type":"${'K'.repeat(LENGTH)}","data":{}}`),
  'line breaks': text('\n'.repeat(LENGTH)),
  quotes: text('"'.repeat(LENGTH)),
  words: text('true false '.repeat(LENGTH / 11)),
  'bytes that are not UTF-8': new Uint8Array(LENGTH).fill(0xff),
  'zero bytes': new Uint8Array(LENGTH),
}

/** Texts and elements of the document. Browsers need long for many. */
async function measure(page: Page): Promise<{ characters: number; elements: number }> {
  return await page.evaluate(`({
    characters: document.body.innerText.length +
      [...document.querySelectorAll('textarea')].map((area) => area.value).join('').length,
    elements: document.querySelectorAll('*').length,
  })`)
}

async function expectSmall(page: Page, what: string): Promise<void> {
  const { characters, elements } = await measure(page)
  // An escape of a zero byte has six.
  expect(characters, `${what}: characters`).toBeLessThan(150_000)
  expect(elements, `${what}: elements`).toBeLessThan(4_000)
}

const CUT = /^… [\d,]+ more characters$/
const rows = (page: Page) => page.locator('.item a')

describeInChromium('a very long body', (open) => {
  it("is shown in part by the inbox's page", async () => {
    const { inbox } = await openSqlite()
    for (const rawBody of Object.values(SHAPES)) await inbox.put(signedFrom(rawBody))
    const page = await open(await serveConsole(inbox))
    await button(page, /^Waiting/).click()
    for (const [index, shape] of Object.keys(SHAPES).entries()) {
      await rows(page).nth(index).click()
      for (const view of ['Exact text', 'Bytes', /Readable|Event/]) {
        await button(page, view).click()
        await seen(page, CUT)
        await expectSmall(page, `${shape}, ${view}`)
      }
    }
  })

  it("is shown in part by the sandbox's page", async () => {
    const sandbox = await openSandbox()
    await control(sandbox, 'POST configurations', { event: KIND, callbackUrl: 'http://127.0.0.1:9/' })
    for (const rawBody of Object.values(SHAPES).reverse()) {
      const bodyBase64 = Buffer.from(rawBody).toString('base64')
      expect((await control(sandbox, 'POST trigger?wait=false', { kind: KIND, bodyBase64 })).status).toBe(202)
    }
    const page = await open(sandbox.url)
    for (const [index, shape] of Object.keys(SHAPES).entries()) {
      await page.goto(`${sandbox.url}/#/deliveries`)
      await rows(page).nth(index).click()
      await seen(page, CUT)
      await expectSmall(page, shape)
      await button(page, 'Edit and resend …').click()
      await expectSmall(page, `${shape}, edited`)
      await button(page, 'Cancel').click()
      await button(page, 'Check this signature').click()
      await expectSmall(page, `${shape}, checked`)
    }
  })
})

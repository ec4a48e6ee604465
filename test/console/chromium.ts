import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest'
import { describeMissing } from '../contracts/missing.ts'

/** The headless shell has no interface of its own, which takes a third of the time. */
const PATHS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']
const PATH = process.env.CHROMIUM ?? PATHS.find(existsSync)
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** A phone and a wide screen. */
export const WIDTHS = [360, 1_440]

export const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
export const seen = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

/** Holds requests until they are let go. */
export async function hold(page: Page, url: string | RegExp): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(url, async (route) => {
    await promise
    await route.continue()
  })
  return resolve
}

export type OpenPage = (url: string, width?: number, expectedError?: RegExp) => Promise<Page>

/**
 * Tests in a real browser. Each page is left with its test, which fails if the page reported an error or a
 * violation of its policy.
 */
export function describeInChromium(name: string, body: (open: OpenPage) => void): void {
  if (PATH === undefined || !existsSync(PATH)) {
    const advice = '"apt-get install chromium" installs it; CHROMIUM selects another one.'
    describeMissing(name, `There is no Chromium at ${PATH ?? PATHS.join(' or ')}. ${advice}`)
    return
  }
  describe(name, () => {
    // One of its own would cost each test as much as its page. Each server has its own origin: its port is new.
    let context: BrowserContext
    // The same for a new page, whose process has to start.
    const idle: Page[] = []
    beforeAll(async () => {
      // The container that CI runs in has no sandbox for Chromium.
      const args = ['--no-sandbox', '--disable-dev-shm-usage']
      const browser = await chromium.launch({ executablePath: PATH, args })
      context = await browser.newContext({ reducedMotion: 'reduce' })
    })
    afterAll(() => context.browser()?.close())
    body(async (url, width = 1_440, expectedError = /^$/) => {
      const page = idle.pop() ?? (await context.newPage())
      await page.setViewportSize({ width, height: 800 })
      page.setDefaultTimeout(120_000)
      const problems: string[] = []
      page.on('pageerror', (error) => problems.push(String(error)))
      page.on('console', (message) => {
        if (message.type() === 'error' && !expectedError.test(message.text())) problems.push(message.text())
      })
      page.on('request', (request) => {
        if (new URL(request.url()).host !== new URL(url).host && !request.url().startsWith('data:'))
          problems.push(`It loads ${request.url()}`)
      })
      onTestFinished(async () => {
        // A later server may have the same port.
        await page.evaluate('localStorage.clear(); sessionStorage.clear()').catch(() => {})
        page.removeAllListeners()
        await page.unrouteAll({ behavior: 'ignoreErrors' })
        await page.goto('about:blank')
        await page.mouse.move(-1, -1)
        await page.emulateMedia({ colorScheme: null, forcedColors: null, media: null })
        idle.push(page)
        expect(problems).toEqual([])
      })
      // Chromium renders others slowly.
      await page.bringToFront()
      await page.goto(url)
      return page
    })
  })
}

/**
 * What axe finds, in light and in dark, with contrasts that it could not determine, what is larger than the
 * window, and buttons and texts that do not fit into their place.
 */
export async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(axeSource)
  // What is half scrolled away has no contrast.
  await page.evaluate(
    `for (const pane of document.querySelectorAll('.detail-pane, .page-pane')) pane.scrollTop = 0`,
  )
  const light = await runAxe(page, 'light', {})
  // Between light and dark, only the colors differ.
  const dark = await runAxe(page, 'dark', { runOnly: ['color-contrast'] })
  const overflow = await page.evaluate<number[]>(
    `[document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]`,
  )
  const cut = await page.evaluate<string[]>(`[...document.querySelectorAll('button, .actions > *')]
    .filter((each) => each.checkVisibility() && !each.closest('.hidden'))
    .filter((each) => each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0 || each.getBoundingClientRect().right > innerWidth)
    .map((each) => 'it does not fit: ' + each.outerHTML.slice(0, 200))`)
  const large = overflow.some((px) => px > 0) ? [`the page exceeds the window by ${overflow} px`] : []
  return [...light, ...dark, ...cut, ...large]
}

async function runAxe(page: Page, colorScheme: 'light' | 'dark', options: object): Promise<string[]> {
  await page.emulateMedia({ colorScheme })
  // On a busy machine, axe would see the colors of both.
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
  return await page.evaluate<string[]>(`(async () => {
    const { violations, incomplete } = await axe.run(document, ${JSON.stringify(options)})
    const undecided = incomplete.filter(({ id }) => id === 'color-contrast')
    return [...violations, ...undecided].flatMap(({ id, nodes }) =>
      nodes.map(({ html, any }) => [${JSON.stringify(colorScheme)}, id, html, any[0]?.message].join(' ')))
  })()`)
}

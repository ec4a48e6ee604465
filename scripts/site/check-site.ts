// Checks the built site: every link and anchor leads somewhere, and axe finds nothing, in light and dark, wide
// and on a phone. --screenshots FOLDER also takes pictures.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { serve } from '@hono/node-server'
import { serveStatic } from '@hono/node-server/serve-static'
import { Hono } from 'hono'
import { chromium, type Page } from 'playwright-core'

const dist = fileURLToPath(new URL('../../site/dist', import.meta.url))
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const { values } = parseArgs({ options: { screenshots: { type: 'string' } } })

const pages = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.html'),
)
const html = new Map(pages.map((name) => [`/${name}`, readFileSync(join(dist, name), 'utf8')]))

function findBrokenLinks(): string[] {
  const broken: string[] = []
  for (const [page, text] of html) {
    for (const [, href = ''] of text.matchAll(/ href="([^"]*)"/g)) {
      const url = new URL(href.replaceAll('&amp;', '&'), `http://site${page}`)
      if (url.host !== 'site') continue
      const path = url.pathname.endsWith('/') ? `${url.pathname}index.html` : url.pathname
      const target = html.get(path)
      const anchor = decodeURIComponent(url.hash.slice(1))
      const isThere =
        target === undefined
          ? existsSync(join(dist, path))
          : anchor === '' || target.includes(` id="${anchor}"`)
      if (!isThere) broken.push(`${page}: ${href}`)
    }
  }
  return broken
}

/** What is looked at, and how. */
interface View {
  readonly name: string
  readonly isDark?: boolean
  readonly isPhone?: boolean
}

async function findBarriers(page: Page, origin: string, view: View): Promise<string[]> {
  const { name, isDark = false, isPhone = false } = view
  await page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light', reducedMotion: 'reduce' })
  await page.setViewportSize(isPhone ? { width: 390, height: 844 } : { width: 1280, height: 900 })
  await page.goto(`${origin}${name}`, { waitUntil: 'load' })
  // The page is complete once its script has given the switch a title.
  await page.waitForSelector('.VPSwitchAppearance:not([title=""])', { state: 'attached' })
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResult> } }
    const { violations } = await axe.run({ resultTypes: ['violations'] })
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 120)}`)
  })
  const look = `${isDark ? 'dark' : 'light'}${isPhone ? ', phone' : ''}`
  if (values.screenshots !== undefined) {
    await page.screenshot({
      path: join(values.screenshots, `${relative('/', name).replaceAll('/', '-')} ${look}.png`),
    })
  }
  return found.map((barrier) => `${name} (${look}): ${barrier}`)
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string
    readonly nodes: readonly { readonly html: string }[]
  }[]
}

const problems = findBrokenLinks()
const app = new Hono().use(serveStatic({ root: relative(process.cwd(), dist) }))
const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
try {
  const origin = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  const views = [
    ...pages.filter((name) => name !== '404.html').map((name): View => ({ name: `/${name}` })),
    ...['/index.html', '/how-it-works.html', '/errors.html', '/reference/sandbox.html'].flatMap(
      (name): View[] => [
        { name, isDark: true },
        { name, isPhone: true },
      ],
    ),
  ].values()
  // One context, so that the pages' scripts come out of its cache.
  const context = await browser.newContext()
  await context.addInitScript(axe)
  const checkNext = async () => {
    const page = await context.newPage()
    for (const view of views) problems.push(...(await findBarriers(page, origin, view)))
  }
  await Promise.all(Array.from({ length: availableParallelism() }, checkNext))
} finally {
  await browser.close()
  server.close()
}
if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exitCode = 1
} else {
  console.log(`ok      ${html.size} pages`)
}

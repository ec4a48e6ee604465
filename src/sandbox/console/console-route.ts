import type { Hono } from 'hono'
import { toPageDocument } from './page-document.ts'
import { readSandboxPage } from './sandbox-page.ts'

/** The console at `/`. */
export function addConsoleRoute(app: Hono): void {
  app.get('/', async (c) => {
    const { html, headers } = toPageDocument(await readSandboxPage(), 'payhook sandbox')
    return c.body(html, 200, headers)
  })
}

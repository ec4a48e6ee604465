import { bundlePage, type PageBundle } from '../sandbox/console/bundle-page.ts'

let bundle: Promise<PageBundle> | undefined

/** The page of an inbox. In the published package, the bundle itself. */
export function readInboxPage(): Promise<PageBundle> {
  bundle ??= bundlePage(new URL('page/inbox-page.tsx', import.meta.url))
  return bundle
}

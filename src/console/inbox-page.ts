import { bundlePage, type PageBundle } from '../sandbox/console/bundle-page.ts'

let bundle: Promise<PageBundle> | undefined

/** The page of an inbox. In the published package, this module contains the bundle. */
export function readInboxPage(): Promise<PageBundle> {
  bundle ??= bundlePage(new URL('page/inbox-page.tsx', import.meta.url))
  return bundle
}

import { bundlePage, type PageBundle } from './bundle-page.ts'

let bundle: Promise<PageBundle> | undefined

/** The page of the sandbox. In the published package, this module contains the bundle. */
export function readSandboxPage(): Promise<PageBundle> {
  bundle ??= bundlePage(new URL('../../console/page/sandbox-page.tsx', import.meta.url))
  return bundle
}

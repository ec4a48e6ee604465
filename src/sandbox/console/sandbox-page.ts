import { bundlePage, type PageBundle } from './bundle-page.ts'

let bundle: Promise<PageBundle> | undefined

/** The page of the sandbox. In the published package, the bundle itself. */
export function readSandboxPage(): Promise<PageBundle> {
  bundle ??= bundlePage(new URL('../../console/page/sandbox-page.tsx', import.meta.url))
  return bundle
}

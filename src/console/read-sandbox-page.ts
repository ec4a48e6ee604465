import { bundlePage } from './bundle-page.ts'
import { type PageDocument, toPageDocument } from './page-document.ts'

let page: Promise<PageDocument> | undefined

/** The page of a sandbox. In the published package, this module contains the document. */
export function readSandboxPage(): Promise<PageDocument> {
  page ??= bundlePage(new URL('page/sandbox/main.tsx', import.meta.url)).then((bundle) =>
    toPageDocument(bundle, 'payhook sandbox'),
  )
  return page
}

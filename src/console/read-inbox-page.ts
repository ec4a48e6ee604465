import { bundlePage } from './bundle-page.ts'
import { type PageDocument, toPageDocument } from './page-document.ts'

let page: Promise<PageDocument> | undefined

/** The page of an inbox. In the published package, this module contains the document. */
export function readInboxPage(): Promise<PageDocument> {
  page ??= bundlePage(new URL('page/inbox/main.tsx', import.meta.url)).then((bundle) =>
    toPageDocument(bundle, 'Inbox – payhook'),
  )
  return page
}

import { bundlePage } from './bundle-page.ts'

/** The page of an inbox. In the package, this module contains the document. */
export function readInboxPage() {
  return bundlePage(new URL('page/inbox/main.tsx', import.meta.url), 'Inbox – payhook')
}

import { bundlePage } from './bundle-page.ts'
import { type PageDocument, toPageDocument } from './page-document.ts'

const TITLES = { inbox: 'Inbox – payhook', sandbox: 'payhook sandbox' }

/** The page of an inbox or of a sandbox. */
export async function readPage(name: keyof typeof TITLES): Promise<PageDocument> {
  return toPageDocument(await bundlePage(), name, TITLES[name])
}

import { bundlePage } from './bundle-page.ts'

/** The page of a sandbox. In the package, this module contains the document. */
export function readSandboxPage() {
  return bundlePage(new URL('page/sandbox/main.tsx', import.meta.url), 'payhook sandbox')
}

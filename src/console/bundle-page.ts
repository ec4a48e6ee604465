import { fileURLToPath } from 'node:url'
import { type PageDocument, toPageDocument } from './page-document.ts'

const pages = new Map<string, Promise<PageDocument>>()

/** Builds a page from its sources, once. Only used in the repository: the package contains the documents. */
export function bundlePage(entry: URL, title: string): Promise<PageDocument> {
  const page = pages.get(entry.href) ?? bundle(entry).then((content) => toPageDocument(content, title))
  pages.set(entry.href, page)
  return page
}

async function bundle(entry: URL): Promise<{ script: string; style: string }> {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(entry)],
    outdir: 'page',
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    jsx: 'automatic',
    jsxImportSource: 'preact',
  })
  const text = (extension: string) => outputFiles.find(({ path }) => path.endsWith(extension))?.text ?? ''
  return { script: text('.js'), style: text('.css') }
}

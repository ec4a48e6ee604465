import { fileURLToPath } from 'node:url'

interface PageContent {
  readonly script: string
  readonly style: string
}

let content: Promise<PageContent> | undefined

/** Builds the script and the style of the pages from their sources, once. The package has them built. */
export function bundlePage(): Promise<PageContent> {
  content ??= bundle()
  return content
}

async function bundle(): Promise<PageContent> {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('page/main.tsx', import.meta.url))],
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

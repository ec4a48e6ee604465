import { fileURLToPath } from 'node:url'

/** The bundled script and style sheet of a page. */
export interface PageBundle {
  readonly script: string
  readonly style: string
}

/**
 * Bundles a page from its sources. Only used in the repository: tsup replaces the calling modules with the
 * result.
 */
export async function bundlePage(entry: URL): Promise<PageBundle> {
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

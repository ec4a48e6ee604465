import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

export interface Bundle {
  readonly file: string
  /** In bytes. */
  readonly minified: number
  /** After the best gzip compression, in bytes. */
  readonly gzipped: number
}

/** Bundles a program into one file, as for a serverless function. */
export async function bundle(entry: string, file: string): Promise<Bundle> {
  await build({
    entryPoints: [entry],
    outfile: file,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    logLevel: 'warning',
  })
  const code = readFileSync(file)
  return { file, minified: code.length, gzipped: gzipSync(code, { level: 9 }).length }
}

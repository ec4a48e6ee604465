import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

/** A code block of a Markdown file. */
export interface Snippet {
  readonly name: string
  readonly code: string
}

/** Returns the TypeScript blocks of a Markdown file, each as a module. */
export function readSnippets(file: string): Snippet[] {
  const blocks = readFileSync(file, 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)
  return [...blocks].map(([, code = ''], index) => ({
    name: `${basename(file, '.md').toLowerCase()}-${index + 1}`,
    code: `${code}\nexport {}\n`,
  }))
}

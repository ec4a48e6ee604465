import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

/** A code block of a Markdown file. */
export interface Snippet {
  readonly language: 'ts' | 'js' | 'sh'
  /**
   * What it is saved as, in a folder for the page: the name in its first line (`// server.mjs`), or a number.
   */
  readonly file: string
  /** Whether its first line has a name. */
  readonly named: boolean
  readonly code: string
}

/**
 * Returns the `ts`, `js` and `sh` blocks of a Markdown file. Blocks of `typescript` and `javascript` are not
 * checked.
 */
export function readSnippets(page: string): Snippet[] {
  const folder = `pages/${basename(page, '.md').toLowerCase()}`
  const blocks = readFileSync(page, 'utf8').matchAll(/^```(ts|js|sh)\n(.*?)^```$/gms)
  return [...blocks].map(([, language = '', code = ''], index) => {
    const name = /^\/\/ ([\w./-]+\.m?[jt]s)\b/.exec(code)?.[1]
    return {
      language: language as Snippet['language'],
      file: `${folder}/${name ?? `block-${index + 1}.${language}`}`,
      named: name !== undefined,
      code,
    }
  })
}

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Returns the relative links of Markdown files that lead to no file, or to no heading in it. */
export function findBrokenLinks(files: readonly string[]): string[] {
  return files.flatMap((file) => {
    const text = readFileSync(file, 'utf8').replaceAll(/^```.*?^```/gms, '')
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)]
    return links
      .filter(([, path = '', anchor]) => !isThere(path === '' ? file : join(dirname(file), path), anchor))
      .map(([link]) => `${file}: ${link}`)
  })
}

function isThere(path: string, anchor: string | undefined): boolean {
  if (!existsSync(path)) return false
  return anchor === undefined || anchorsOf(readFileSync(path, 'utf8')).includes(anchor)
}

/** As GitHub makes them of headings. */
function anchorsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
}

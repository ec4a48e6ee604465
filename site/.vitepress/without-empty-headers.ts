import type { MarkdownRenderer } from 'vitepress'

/** A table whose first row has empty cells has no headers there, for screen readers. */
export function withoutEmptyHeaders(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('without-empty-headers', ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      if (token.type !== 'th_open' || tokens[index + 1]?.content !== '') continue
      for (const cell of [token, tokens[index + 2]]) if (cell !== undefined) cell.tag = 'td'
    }
  })
}

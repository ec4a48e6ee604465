import { Command } from 'commander'
import { toOneLine, warn } from './output.ts'

/** Warns about a word that is not one of the service's: it is the user's own, or misspelled. */
export function warnUnknown(what: 'kind' | 'status', word: string, known: readonly string[]): void {
  if (known.includes(word)) return
  warn(`payhook does not know the ${what} ${toOneLine(word)}.${suggest(word, known)}`)
}

/** A question about the nearest word, or nothing. It is commander's, which does not export its function. */
export function suggest(word: string, known: readonly string[]): string {
  const words = new Command()
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ outputError() {} })
  for (const each of known) words.command(each)
  try {
    words.parse(['--', word], { from: 'user' })
  } catch (error) {
    const [, question] = /\((Did you mean .*)\)$/.exec((error as Error).message) ?? []
    if (question !== undefined) return ` ${question}`
  }
  return ''
}

import { Command } from 'commander'
import { EVENT_KINDS } from '../events/kinds.ts'
import { note, toOneLine } from './output.ts'

/** Notes that a kind is not one of the service's: it is the user's own, or misspelt. */
export function noteUnknownKind(kind: string): void {
  if (EVENT_KINDS.some((known) => known === kind)) return
  note(`payhook does not know the kind ${toOneLine(kind)}.${suggest(kind)}`)
}

/** Has commander suggest a kind as it suggests a command, since it does not export its function for that. */
function suggest(kind: string): string {
  const kinds = new Command()
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ outputError() {} })
  for (const known of EVENT_KINDS) kinds.command(known)
  try {
    kinds.parse(['--', kind], { from: 'user' })
  } catch (error) {
    const [, question] = /\((Did you mean .*)\)$/.exec((error as Error).message) ?? []
    if (question !== undefined) return ` ${question}`
  }
  return ''
}

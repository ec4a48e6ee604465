import type { Command } from 'commander'

export interface CommandHelp {
  /** What it does. The first sentence stands in the list of commands. */
  readonly description: string
  readonly examples: readonly string[]
  /** Printed between the options and the examples. */
  readonly notes?: string
  /** What `--json` prints. Default: objects. */
  readonly json?: string
}

/** Adds a command that prints data, with `--json`. */
export function addCommand(
  parent: Command,
  name: string,
  { description, examples, notes = '', json = 'print JSON, one object per line' }: CommandHelp,
): Command {
  const [summary = ''] = description.split(/\.(?: |$)/)
  return parent
    .command(name)
    .summary(summary)
    .description(description)
    .option('--json', json)
    .addHelpText('after', `${notes}\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}`)
}

export function addGroup(parent: Command, name: string, description: string): Command {
  return parent.command(name).summary(description.replace(/\.$/, '')).description(description)
}

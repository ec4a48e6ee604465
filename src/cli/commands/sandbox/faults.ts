import type { Command } from 'commander'
import { callSandbox, NEEDS_SANDBOX } from '../../control-api.ts'
import { toFaults } from '../../fault-arguments.ts'
import { print, printJson } from '../../output.ts'

export function addFaults(program: Command): void {
  program
    .command('faults')
    .summary('print or set the faults of a running sandbox')
    .description(
      'Prints the faults of a running sandbox, or replaces them: those of its notifications and of its API.',
    )
    .argument('[faults]', 'such as duplicate=2,reorder, JSON, or none', toFaults)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `${NEEDS_SANDBOX}

Examples:
  payhook faults duplicate=1,delayMs=500
  payhook faults '{"attempts":[{"truncate":true}]}'
  payhook faults none`,
    )
    .action(async (faults: object | undefined, { json }: { json?: true }) => {
      const now = await (faults === undefined
        ? callSandbox<object>('GET', 'faults')
        : callSandbox<object>('PUT', 'faults', JSON.stringify(faults)))
      if (json) printJson({ faults: now })
      else print(Object.keys(now).length === 0 ? 'none' : JSON.stringify(now))
    })
}

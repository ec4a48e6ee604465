import type { Command } from 'commander'
import { addSandboxCommand, callSandbox } from '../../control-api.ts'
import { print } from '../../output.ts'
import { toFaults } from '../../sandbox-arguments.ts'

export function addFaults(program: Command): void {
  addSandboxCommand(program, 'faults', {
    description:
      'Print or replace the faults of a running sandbox. Those of its notifications and of its API.',
    examples: [
      'payhook faults duplicate=1,delayMs=500',
      `payhook faults '{"attempts":[{"truncate":true}]}'`,
      'payhook faults none',
    ],
  })
    .argument('[faults]', 'such as duplicate=2,reorder, JSON, or none', toFaults)
    .action(async (wanted: object | undefined) => {
      const faults = await (wanted === undefined
        ? callSandbox('GET faults')
        : callSandbox('PUT faults', { body: JSON.stringify(wanted) }))
      print({ faults }, () => (Object.keys(faults).length === 0 ? 'none' : JSON.stringify(faults)))
    })
}

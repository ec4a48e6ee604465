import type { Command } from 'commander'
import { sign } from '../../../verification/signature.ts'
import { required } from '../../environment.ts'
import { print, printJson } from '../../output.ts'
import { readInput } from '../../read-input.ts'

export function addSign(program: Command): void {
  program
    .command('sign')
    .summary('print the signature of a file')
    .description('Prints the signature that the service would send for the exact bytes of a file.')
    .argument('<file>', 'file with the body of a notification, or - for stdin')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  payhook sign body.json
  printf '{"type":"VBA_TRANSACTION","data":"{}"}' | payhook sign -`,
    )
    .action(async (file: string, { json }: { json?: true }) => {
      const clientId = required('PAYHOOK_CLIENT_ID')
      const signature = sign({ body: await readInput(file), clientId })
      if (json) printJson({ signature })
      else print(signature)
    })
}

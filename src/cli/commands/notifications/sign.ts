import type { Command } from 'commander'
import { sign } from '../../../verification/signature.ts'
import { addCommand } from '../../command.ts'
import { required } from '../../environment.ts'
import { print } from '../../output.ts'
import { readInput } from '../../read-input.ts'

export function addSign(program: Command): void {
  addCommand(program, 'sign', {
    description: 'Print the signature that the service would send for the exact bytes of a file.',
    examples: ['payhook sign body.json', `printf '{"type":"VBA_TRANSACTION","data":"{}"}' | payhook sign -`],
  })
    .argument('<file>', 'file with the body of a notification, or - for stdin')
    .action(async (file: string) => {
      const clientId = required('PAYHOOK_CLIENT_ID')
      print({ signature: sign({ body: await readInput(file), clientId }) }, ({ signature }) => signature)
    })
}

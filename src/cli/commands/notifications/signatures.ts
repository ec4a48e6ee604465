import type { Command } from 'commander'
import { explainSignature } from '../../../testing/explain-signature.ts'
import { sign } from '../../../verification/signature.ts'
import { addCommand } from '../../command.ts'
import { environment, required } from '../../environment.ts'
import { Failure } from '../../errors.ts'
import { paint, print } from '../../output.ts'
import { readInput } from '../../read-input.ts'

export function addSignatures(program: Command): void {
  addCommand(program, 'sign', {
    description: 'Print the signature that the service would send for the exact bytes of a file.',
    examples: ['payhook sign body.json', `printf '{"type":"VBA_TRANSACTION","data":"{}"}' | payhook sign -`],
  })
    .argument('<file>', 'file with the body of a notification, or - for stdin')
    .action(async (file: string) => {
      const clientId = required('PAYHOOK_CLIENT_ID')
      print({ signature: sign({ body: await readInput(file), clientId }) }, ({ signature }) => signature)
    })
  addCommand(program, 'verify', {
    description:
      'Check the signature of the exact bytes of a file. If it does not verify, exits 1 and says why.',
    examples: [
      'payhook verify body.json --signature "$(payhook sign body.json)"',
      'curl -s http://127.0.0.1:3000/last-body | payhook verify - --signature "$SIGNATURE"',
    ],
  })
    .argument('<file>', 'file with the body of a notification, or - for stdin')
    .requiredOption('--signature <hex>', 'value of the ACCESS-SIGNATURE header')
    .action(async (file: string, { signature }: { signature: string }) => {
      const clientId = required('PAYHOOK_CLIENT_ID')
      const clientSecret = environment('PAYHOOK_CLIENT_SECRET')
      const explanation = explainSignature({ body: await readInput(file), signature, clientId, clientSecret })
      print(explanation, ({ valid }) => (valid ? paint('green', 'valid') : paint('red', 'invalid')))
      if (!explanation.valid) throw new Failure(explanation.cause, explanation.message)
    })
}

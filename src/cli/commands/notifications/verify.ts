import type { Command } from 'commander'
import { explainSignature } from '../../../testing/explain-signature.ts'
import { addCommand } from '../../command.ts'
import { environment, required } from '../../environment.ts'
import { Failure } from '../../errors.ts'
import { paint, print } from '../../output.ts'
import { readInput } from '../../read-input.ts'

export function addVerify(program: Command): void {
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
      const explanation = explainSignature({
        body: await readInput(file),
        signature,
        clientId: required('PAYHOOK_CLIENT_ID'),
        clientSecret: environment('PAYHOOK_CLIENT_SECRET'),
      })
      print(explanation, ({ valid }) => (valid ? paint('green', 'valid') : paint('red', 'invalid')))
      if (!explanation.valid) throw new Failure(explanation.cause, explanation.message)
    })
}

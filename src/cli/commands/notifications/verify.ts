import type { Command } from 'commander'
import { explainSignature } from '../../../testing/explain-signature.ts'
import { environment, required } from '../../environment.ts'
import { Failure } from '../../errors.ts'
import { paint, print, printJson } from '../../output.ts'
import { readInput } from '../../read-input.ts'

export function addVerify(program: Command): void {
  program
    .command('verify')
    .summary('check the signature of a file, and say why it fails')
    .description(
      'Checks the signature of the exact bytes of a file. If it does not verify, exits 1 and says why.',
    )
    .argument('<file>', 'file with the body of a notification, or - for stdin')
    .requiredOption('--signature <hex>', 'value of the ACCESS-SIGNATURE header')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  payhook verify body.json --signature "$(payhook sign body.json)"
  curl -s http://127.0.0.1:3000/last-body | payhook verify - --signature "$SIGNATURE"`,
    )
    .action(async (file: string, { signature, json }: { signature: string; json?: true }) => {
      const explanation = explainSignature({
        body: await readInput(file),
        signature,
        clientId: required('PAYHOOK_CLIENT_ID'),
        clientSecret: environment('PAYHOOK_CLIENT_SECRET'),
      })
      if (json) printJson(explanation)
      else print(explanation.valid ? paint('green', 'valid') : paint('red', 'invalid'))
      if (!explanation.valid) throw new Failure(explanation.message, { code: explanation.cause })
    })
}

import type { Command } from 'commander'
import {
  assertDelivered,
  callSandbox,
  type ListedDelivery,
  NEEDS_SANDBOX,
  printDeliveries,
} from '../../control-api.ts'
import { UsageError } from '../../errors.ts'
import { checkData } from '../../json-argument.ts'
import { readInput } from '../../read-input.ts'

interface RedeliverOptions {
  readonly data?: string
  readonly body?: string
  readonly json?: true
}

export function addRedeliver(program: Command): void {
  program
    .command('redeliver')
    .summary('send a delivery of a running sandbox again')
    .description(
      'Makes a running sandbox send a delivery again, unchanged or edited, with a new signature. Exits 0 if it was delivered.',
    )
    .argument('<id>', 'id of the delivery, as deliveries prints it')
    .option('--data <json>', 'other data', checkData)
    .option('--body <file>', 'the exact bytes of a file instead, or of stdin for -')
    .option('--json', 'print one JSON object per line')
    .addHelpText(
      'after',
      `${NEEDS_SANDBOX}

Examples:
  payhook redeliver 7350dc35-5a8b-4ac9-a148-7eec3c76dbd8
  payhook deliveries 7350dc35-5a8b-4ac9-a148-7eec3c76dbd8 --body | sed 's/Sent/Complete/' | payhook redeliver 7350dc35-5a8b-4ac9-a148-7eec3c76dbd8 --body -`,
    )
    .action(async (id: string, { data, body, json }: RedeliverOptions) => {
      if (data !== undefined && body !== undefined) throw new UsageError('Give --data or --body, not both.')
      const request =
        body === undefined
          ? `{${data === undefined ? '' : `"data":${data}`}}`
          : JSON.stringify({ bodyBase64: Buffer.from(await readInput(body)).toString('base64') })
      const path = `deliveries/${encodeURIComponent(id)}/redeliver`
      const { deliveries } = await callSandbox<{ deliveries: ListedDelivery[] }>('POST', path, request)
      printDeliveries(deliveries, json ? { json } : {})
      assertDelivered(deliveries)
    })
}

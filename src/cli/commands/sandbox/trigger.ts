import type { Command } from 'commander'
import {
  assertDelivered,
  callSandbox,
  type ListedDelivery,
  NEEDS_SANDBOX,
  printDeliveries,
} from '../../control-api.ts'
import { UsageError } from '../../errors.ts'
import { toFaults } from '../../fault-arguments.ts'
import { checkData } from '../../json-argument.ts'
import { noteUnknownKind } from '../../note-unknown-kind.ts'
import { readInput } from '../../read-input.ts'

interface TriggerOptions {
  readonly data?: string
  readonly body?: string
  readonly inline?: true
  readonly account?: string
  readonly faults?: object
  readonly contentType?: string
  readonly wait: boolean
  readonly json?: true
}

export function addTrigger(program: Command): void {
  program
    .command('trigger')
    .summary('trigger an event in a running sandbox')
    .description(
      'Triggers an event in a running sandbox, which notifies every URL registered for its kind. Exits 0 if all notifications were delivered.',
    )
    .argument('<kind>', 'any kind, even one that the service does not have')
    .option('--data <json>', 'changes to the data of the event', checkData)
    .option('--body <file>', 'send the exact bytes of a file, or of stdin for -')
    .option('--inline', 'send data as an object, not as a string')
    .option('--account <id>', 'notify only this account')
    .option('--faults <faults>', 'faults of this event, such as duplicate=2,reorder or JSON', toFaults)
    .option('--content-type <type>', 'Content-Type of the request')
    .option('--no-wait', 'do not wait for the responses')
    .option('--json', 'print one JSON object per line')
    .addHelpText(
      'after',
      `${NEEDS_SANDBOX}

Examples:
  payhook trigger INBOUND_PAYMENT_STATUS_UPDATED --data '{"status":"Complete","amount":{"number":12345678901234567.89}}'
  payhook trigger VBA_TRANSACTION --faults duplicate=2
  payhook trigger SOMETHING_NEW --body tampered.json`,
    )
    .action(async (kind: string, options: TriggerOptions) => {
      noteUnknownKind(kind)
      const { deliveries } = await callSandbox<{ deliveries: ListedDelivery[] }>(
        'POST',
        `trigger${options.wait ? '' : '?wait=false'}`,
        await toRequest(kind, options),
      )
      printDeliveries(deliveries, options)
      if (options.wait) assertDelivered(deliveries)
    })
}

async function toRequest(
  kind: string,
  { data, body, inline, account, faults, contentType }: TriggerOptions,
): Promise<string> {
  if (data !== undefined && body !== undefined) throw new UsageError('Give --data or --body, not both.')
  const bodyBase64 = body === undefined ? undefined : Buffer.from(await readInput(body)).toString('base64')
  const fields = JSON.stringify({ kind, inline, accountId: account, faults, contentType, bodyBase64 })
  // Sent as typed, so that no number loses a digit.
  return data === undefined ? fields : `${fields.slice(0, -1)},"data":${data}}`
}

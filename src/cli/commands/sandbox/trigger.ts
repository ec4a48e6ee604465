import type { Command } from 'commander'
import { PARSED_KINDS } from '../../../events/kinds.ts'
import { addSandboxCommand, sendAndPrint } from '../../control-api.ts'
import { checkData, toNotification } from '../../data-argument.ts'
import { toFaults } from '../../fault-arguments.ts'
import { warnUnknown } from '../../warn-unknown.ts'

interface TriggerOptions {
  readonly data?: string
  readonly body?: string
  readonly inline?: true
  readonly account?: string
  readonly faults?: object
  readonly contentType?: string
  readonly wait: boolean
}

export function addTrigger(program: Command): void {
  addSandboxCommand(program, 'trigger', {
    description:
      'Trigger an event in a running sandbox. It notifies every URL registered for the kind. Exits 0 if all notifications were delivered.',
    examples: [
      `payhook trigger INBOUND_PAYMENT_STATUS_UPDATED --data '{"status":"Complete","amount":{"number":12345678901234567.89}}'`,
      'payhook trigger VBA_TRANSACTION --faults duplicate=2',
      'payhook trigger SOMETHING_NEW --body tampered.json',
    ],
  })
    .argument('<kind>', 'any kind, even one that the service does not have')
    .option('--data <json>', 'changes to the data of the event', checkData)
    .option('--body <file>', 'send the exact bytes of a file, or of stdin for -')
    .option('--inline', 'send data as an object, not as a string')
    .option('--account <id>', 'notify only this account')
    .option('--faults <faults>', 'faults of this event, such as duplicate=2,reorder or JSON', toFaults)
    .option('--content-type <type>', 'Content-Type of the request')
    .option('--no-wait', 'do not wait for the responses')
    .action(async (kind: string, options: TriggerOptions) => {
      const { inline, account: accountId, faults, contentType, wait } = options
      warnUnknown('kind', kind, PARSED_KINDS)
      const fields = { kind, inline, accountId, faults, contentType }
      await sendAndPrint(`trigger${wait ? '' : '?wait=false'}`, await toNotification(fields, options))
    })
}

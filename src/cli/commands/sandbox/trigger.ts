import type { Command } from 'commander'
import { PARSED_KINDS } from '../../../events/kinds.ts'
import { addSandboxCommand, sendAndPrint } from '../../control-api.ts'
import { UsageError } from '../../errors.ts'
import { asTyped } from '../../option-values.ts'
import { readInput } from '../../read-input.ts'
import { toData, toFaults, withData } from '../../sandbox-arguments.ts'
import { warnUnknown } from '../../warn-unknown.ts'

interface Contents {
  readonly data?: string
  readonly body?: string
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
    .option('--data <json>', 'changes to the data of the event', asTyped(toData))
    .option('--body <file>', 'send the exact bytes of a file, or of stdin for -')
    .option('--faults <faults>', 'faults of this event, such as duplicate=2,reorder or JSON', toFaults)
    .action(async (kind: string, options: Contents & { faults?: object }) => {
      warnUnknown('kind', kind, PARSED_KINDS)
      const body = await toNotification({ kind, faults: options.faults }, options)
      await sendAndPrint('POST trigger', { body })
    })
  const id = '7350dc35-5a8b-4ac9-a148-7eec3c76dbd8'
  addSandboxCommand(program, 'redeliver', {
    description:
      'Send a delivery of a running sandbox again. Unchanged or edited, with a new signature. Exits 0 if it was delivered.',
    examples: [
      `payhook redeliver ${id}`,
      `payhook deliveries ${id} --body | sed 's/Sent/Complete/' | payhook redeliver ${id} --body -`,
    ],
  })
    .argument('<id>', 'id of the delivery, or the first eight digits of it')
    .option('--data <json>', 'other data', asTyped(toData))
    .option('--body <file>', 'the exact bytes of a file instead, or of stdin for -')
    .action(async (delivery: string, options: Contents) => {
      const body = await toNotification({}, options)
      await sendAndPrint('POST deliveries/:id/redeliver', { id: delivery, body })
    })
}

async function toNotification(fields: object, { data, body }: Contents): Promise<string> {
  if (data !== undefined && body !== undefined) throw new UsageError('Give --data or --body, not both.')
  if (body === undefined) return withData(fields, data)
  return JSON.stringify({ ...fields, bodyBase64: Buffer.from(await readInput(body)).toString('base64') })
}

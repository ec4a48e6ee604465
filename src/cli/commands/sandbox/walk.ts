import { Argument, type Command } from 'commander'
import { InvoiceStatus } from '../../../events/invoice-status.ts'
import { PaymentStatus } from '../../../events/payment-status.ts'
import { addSandboxCommand, callSandbox, sendAndPrint } from '../../control-api.ts'
import { asTyped, timeOption, withChoices } from '../../option-values.ts'
import { note } from '../../output.ts'
import { toData, withData } from '../../sandbox-arguments.ts'
import { warnUnknown } from '../../warn-unknown.ts'

const STATUSES = { payment: Object.values(PaymentStatus), invoice: Object.values(InvoiceStatus) }

export function addWalk(program: Command): void {
  addSandboxCommand(program, 'walk', {
    description:
      'Walk a payment or an invoice through its statuses in a running sandbox. Both sides are notified of each status. Exits 0 if all notifications were delivered.',
    examples: [
      'payhook walk payment',
      'payhook walk payment Sent InProgress Complete --interval 2s',
      `payhook walk invoice --data '{"amount":{"number":99.5,"currency":"EUR"}}'`,
    ],
  })
    .addArgument(withChoices(new Argument('<resource>'), Object.keys(STATUSES)))
    .argument('[statuses...]', 'the statuses, in order; default: the usual ones')
    .option('--data <json>', 'changes to its data', asTyped(toData))
    .addOption(timeOption('--interval <time>', 'time between two statuses'))
    .action(
      async (
        resource: keyof typeof STATUSES,
        statuses: string[],
        options: { data?: string; interval?: number },
      ) => {
        for (const status of statuses) warnUnknown('status', status, STATUSES[resource])
        const { id } = await callSandbox(`POST ${resource}s`, { body: withData({}, options.data) })
        note(`The ${resource} is ${id}.`)
        const request = { ...(statuses.length > 0 && { statuses }), intervalMs: options.interval }
        await sendAndPrint(`POST ${resource}s/:id/walk`, { id, body: JSON.stringify(request) })
      },
    )
}

import { Argument, type Command } from 'commander'
import {
  assertDelivered,
  callSandbox,
  type ListedDelivery,
  NEEDS_SANDBOX,
  printDeliveries,
} from '../../control-api.ts'
import { checkData } from '../../json-argument.ts'
import { toMilliseconds } from '../../option-values.ts'
import { note } from '../../output.ts'

interface WalkOptions {
  readonly id?: string
  readonly data?: string
  readonly interval?: number
  readonly json?: true
}

export function addWalk(program: Command): void {
  program
    .command('walk')
    .summary('walk a payment or an invoice through its statuses')
    .description(
      'Creates a payment or an invoice in a running sandbox and walks it through its statuses. Both sides are notified of each status. Exits 0 if all notifications were delivered.',
    )
    .addArgument(new Argument('<resource>').choices(['payment', 'invoice']))
    .argument('[statuses...]', 'the statuses, in order; default: the usual ones')
    .option('--id <id>', 'walk an existing one')
    .option('--data <json>', 'changes to the data of a new one', checkData)
    .option('--interval <time>', 'time between two statuses', toMilliseconds)
    .option('--json', 'print one JSON object per line')
    .addHelpText(
      'after',
      `${NEEDS_SANDBOX}

Examples:
  payhook walk payment
  payhook walk payment Sent InProgress Complete --interval 2s
  payhook walk invoice --data '{"amount":{"number":99.5,"currency":"EUR"}}'`,
    )
    .action(
      async (resource: string, statuses: string[], { id: given, data, interval, json }: WalkOptions) => {
        const id = given ?? (await create(resource, data))
        const request = { ...(statuses.length > 0 && { statuses }), intervalMs: interval }
        const { deliveries } = await callSandbox<{ deliveries: ListedDelivery[] }>(
          'POST',
          `${resource}s/${encodeURIComponent(id)}/walk`,
          JSON.stringify(request),
        )
        printDeliveries(deliveries, { json } as { json?: true })
        assertDelivered(deliveries)
      },
    )
}

async function create(resource: string, data: string | undefined): Promise<string> {
  const { id } = await callSandbox<{ id: string }>(
    'POST',
    `${resource}s`,
    data === undefined ? '{}' : `{"data":${data}}`,
  )
  note(`The ${resource} is ${id}.`)
  return id
}

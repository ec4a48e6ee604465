import { type Command, Option } from 'commander'
import {
  callSandbox,
  type ListedDelivery,
  NEEDS_SANDBOX,
  printDeliveries,
  type ShownDelivery,
} from '../../control-api.ts'
import { UsageError } from '../../errors.ts'
import { toCount } from '../../option-values.ts'
import { print, printJson, toOneLine } from '../../output.ts'

interface DeliveriesOptions {
  readonly kind?: string
  readonly state?: string
  readonly search?: string
  readonly limit: number
  readonly body?: true
  readonly json?: true
}

export function addDeliveries(program: Command): void {
  program
    .command('deliveries')
    .summary('list what a running sandbox sent, or show one')
    .description('Lists what a running sandbox sent, newest first, or shows one delivery with its body.')
    .argument('[id]', 'show this delivery')
    .option('--kind <kind>', 'list only this kind')
    .addOption(
      new Option('--state <state>', 'list only this state').choices([
        'pending',
        'delivered',
        'failed',
        'dropped',
        'cancelled',
      ]),
    )
    .option('--search <text>', 'list those whose body contains this text')
    .option('--limit <number>', 'how many at most', toCount, 20)
    .option('--body', 'with an id: print the exact bytes of the body and nothing else')
    .option('--json', 'print one JSON object per line')
    .addHelpText(
      'after',
      `${NEEDS_SANDBOX}

Examples:
  payhook deliveries --state failed
  payhook deliveries --search 48121 --json
  payhook deliveries 7350dc35-5a8b-4ac9-a148-7eec3c76dbd8 --body > body.json`,
    )
    .action(async (id: string | undefined, options: DeliveriesOptions) => {
      if (id === undefined) await list(options)
      else await show(id, options)
    })
}

async function list({ kind, state, search, limit, body, json }: DeliveriesOptions): Promise<void> {
  if (body) throw new UsageError('--body requires the id of a delivery.')
  const query = new URLSearchParams({ limit: String(limit) })
  for (const [name, value] of Object.entries({ kind, state, search }))
    if (value !== undefined) query.set(name, value)
  const { deliveries } = await callSandbox<{ deliveries: ListedDelivery[] }>('GET', `deliveries?${query}`)
  printDeliveries(deliveries, json ? { json } : {})
}

async function show(id: string, { body, json }: DeliveriesOptions): Promise<void> {
  const delivery = await callSandbox<ShownDelivery>('GET', `deliveries/${encodeURIComponent(id)}`)
  if (body) process.stdout.write(Buffer.from(delivery.bodyBase64, 'base64'))
  else if (json) printJson(delivery)
  else {
    printDeliveries([delivery], {})
    print('')
    for (const [name, value] of Object.entries(delivery.headers)) print(`${name}: ${toOneLine(value)}`)
    print(`\n${toOneLine(delivery.body)}`)
  }
}

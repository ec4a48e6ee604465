import { type Command, Option } from 'commander'
import { withoutSecrets } from '../../../client/http/shown-url.ts'
import type { DeliveriesJson, DeliveryDetailJson } from '../../../sandbox/control/control-json.ts'
import { DELIVERY_STATES } from '../../../sandbox/delivery/delivery.ts'
import { addSandboxCommand, callSandbox, printDeliveries, toLatency, toResponse } from '../../control-api.ts'
import { UsageError } from '../../errors.ts'
import { formatBody } from '../../format-body.ts'
import { toCount } from '../../option-values.ts'
import { print, type Text } from '../../output.ts'
import { toFields } from '../../table.ts'

interface DeliveriesOptions {
  readonly kind?: string
  readonly state?: string
  readonly search?: string
  readonly limit: number
  readonly body?: true
}

export function addDeliveries(program: Command): void {
  addSandboxCommand(program, 'deliveries', {
    description: 'List what a running sandbox sent, or show one. The list begins with the newest.',
    examples: [
      'payhook deliveries --state failed',
      'payhook deliveries --search payment:48201 --json',
      'payhook deliveries 7350dc35-5a8b-4ac9-a148-7eec3c76dbd8 --body > body.json',
    ],
  })
    .argument('[id]', 'show this delivery')
    .option('--kind <kind>', 'list only this kind')
    .addOption(new Option('--state <state>', 'list only this state').choices(DELIVERY_STATES))
    .option('--search <text>', 'list those whose body contains this text, or whose subject it is')
    .option('--limit <number>', 'how many at most', toCount, 20)
    .option('--body', 'with an id: print the exact bytes of the body and nothing else')
    .action((id: string | undefined, options: DeliveriesOptions) =>
      id === undefined ? list(options) : show(id, options),
    )
}

async function list({ kind, state, search, limit, body }: DeliveriesOptions): Promise<void> {
  if (body) throw new UsageError('--body requires the id of a delivery.')
  const query = new URLSearchParams({ limit: String(limit) })
  for (const [name, value] of Object.entries({ kind, state, search })) if (value) query.set(name, value)
  const { deliveries } = await callSandbox<DeliveriesJson>('GET', `deliveries?${query}`)
  printDeliveries(deliveries)
}

async function show(id: string, { body }: DeliveriesOptions): Promise<void> {
  const delivery = await callSandbox<DeliveryDetailJson>('GET', `deliveries/${encodeURIComponent(id)}`)
  if (body) process.stdout.write(Buffer.from(delivery.bodyBase64, 'base64'))
  else print(delivery, toDetail)
}

function toDetail({ headers, bodyBase64, ...delivery }: DeliveryDetailJson): Text {
  const { id, state, kind, createdAt, attempts } = delivery
  const url = withoutSecrets(delivery.url)
  const responses = attempts.map((each) => `${toResponse(each)} (${toLatency(each)})`)
  const fields = { id, state, kind, createdAt, url, responses: responses.join(', ') || '-', ...headers }
  return [...toFields(fields), '\n\n', formatBody(Buffer.from(bodyBase64, 'base64'))]
}

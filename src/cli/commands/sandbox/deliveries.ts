import { isUtf8 } from 'node:buffer'
import { once } from 'node:events'
import { type Command, Option } from 'commander'
import { withoutSecrets } from '../../../client/http/shown-url.ts'
import type { DeliveryDetailJson, DeliverySummaryJson } from '../../../sandbox/control/control-json.ts'
import { DELIVERY_STATES } from '../../../sandbox/state/delivery.ts'
import { formatBody } from '../../../testing/format-body.ts'
import {
  addSandboxCommand,
  callSandbox,
  noSandbox,
  printDeliveries,
  printNextDelivery,
  toControlUrl,
  toLatency,
  toResponse,
} from '../../control-api.ts'
import { Failure, UsageError } from '../../errors.ts'
import { untilInterrupted } from '../../interruption.ts'
import { choiceOption, toCount } from '../../option-values.ts'
import { note, print, type Text } from '../../output.ts'
import { openRequest } from '../../request.ts'
import { noteMore, toFields } from '../../table.ts'

interface DeliveriesOptions {
  readonly kind?: string
  readonly state?: string
  readonly search?: string
  readonly limit: number
  readonly follow?: true
  readonly body?: true
}

export function addDeliveries(program: Command): void {
  const follows = new Option('--follow', 'print those to come, each when it is settled, until Ctrl-C')
  addSandboxCommand(program, 'deliveries', {
    description: 'List what a running sandbox sent, or show one. The list begins with the newest.',
    examples: [
      'payhook deliveries --follow --state failed',
      'payhook deliveries 7350dc35-5a8b-4ac9-a148-7eec3c76dbd8 --body > body.json',
    ],
  })
    .argument('[id]', 'show this delivery; the first eight digits of its id suffice')
    .option('--kind <kind>', 'list only this kind')
    .addOption(choiceOption('--state <state>', 'list only this state', DELIVERY_STATES))
    .option('--search <text>', 'list those whose body contains this text, or whose subject it is')
    .option('--limit <number>', 'how many at most', toCount, 20)
    .addOption(follows.conflicts(['search', 'limit', 'body']))
    .option('--body', 'with an id: print the exact bytes of the body and nothing else')
    .action(async (id: string | undefined, options: DeliveriesOptions) => {
      if (id !== undefined) await show(id, options)
      else if (options.follow) await untilInterrupted((signal) => follow(options, signal))
      else await list(options)
    })
}

async function list({ kind, state, search, limit, body }: DeliveriesOptions): Promise<void> {
  if (body) throw new UsageError('--body requires the id of a delivery.')
  const query = new URLSearchParams({ limit: String(limit) })
  for (const [name, value] of Object.entries({ kind, state, search })) if (value) query.set(name, value)
  const { deliveries, total } = await callSandbox('GET deliveries', { query })
  printDeliveries(deliveries)
  if (deliveries.length < total) noteMore(deliveries.length, total)
}

async function follow({ kind, state }: DeliveriesOptions, signal: AbortSignal): Promise<void> {
  const introduce = () => note('Following the deliveries. Stop with Ctrl-C.')
  for await (const delivery of followDeliveries(signal, introduce)) {
    if (kind !== undefined && delivery.kind !== kind) continue
    if (delivery.state !== 'pending' && delivery.state === (state ?? delivery.state))
      printNextDelivery(delivery)
  }
}

/**
 * Follows the deliveries of the running sandbox: each of them whenever it changes, until the signal is aborted.
 *
 * @param onConnected called once none can be missed
 * @throws Failure if there is no sandbox, or no longer, or if it disconnects a reader that is too slow
 */
async function* followDeliveries(
  signal: AbortSignal,
  onConnected: () => void,
): AsyncGenerator<DeliverySummaryJson, void, undefined> {
  const request = openRequest(toControlUrl('stream'), { signal })
  request.on('error', () => {})
  let failure = noSandbox()
  try {
    const [response] = await once(request.end(), 'response')
    if (response.statusCode === 200) {
      onConnected()
      for await (const event of readEvents(response.setEncoding('utf8')))
        if (event.type === 'delivery') yield JSON.parse(event.data)
      failure = new Failure('too_slow', 'The sandbox has disconnected: its deliveries were read too slowly.')
    }
  } catch {
    // Reported below, unless the user has ended it.
  }
  if (!signal.aborted) throw failure
}

/** Server-sent events. The fields of an event are lines, and an empty line ends it. */
async function* readEvents(body: AsyncIterable<string>): AsyncGenerator<{ type?: string; data: string }> {
  let rest = ''
  for await (const text of body) {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = block.split('\n').map((line) => line.split(/: (.*)/s))
      const { event: type, data = '' } = Object.fromEntries(fields)
      yield { type, data }
    }
  }
}

async function show(id: string, { body }: DeliveriesOptions): Promise<void> {
  const delivery = await callSandbox('GET deliveries/:id', { id })
  if (body) process.stdout.write(Buffer.from(delivery.bodyBase64, 'base64'))
  else print(delivery, toDetail)
}

function toDetail({ headers, bodyBase64, ...delivery }: DeliveryDetailJson): Text {
  const { id, state, kind, createdAt, attempts } = delivery
  const url = withoutSecrets(delivery.url)
  const responses = attempts.map((each) => `${toResponse(each)} (${toLatency(each)})`)
  // It is the password of the URL.
  const { Authorization: _, ...shown } = headers
  const fields = { id, state, kind, createdAt, url, responses: responses.join(', ') || '-', ...shown }
  const bytes = Buffer.from(bodyBase64, 'base64')
  return [...toFields(fields), '\n\n', isUtf8(bytes) ? formatBody(bytes.toString()) : bodyBase64]
}

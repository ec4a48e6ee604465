import { stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import { EVENT_KINDS, PARSED_KINDS } from '../../../events/kinds.ts'
import { createNotification } from '../../../testing/create-notification.ts'
import { idField, type Overrides } from '../../../testing/sample-data.ts'
import { sign } from '../../../verification/signature.ts'
import { addCommand } from '../../command.ts'
import { required } from '../../environment.ts'
import { Failure, UsageError } from '../../errors.ts'
import { timeOption, toCount, toUrl } from '../../option-values.ts'
import { paint, print, toOneLine } from '../../output.ts'
import { readInput } from '../../read-input.ts'
import { request } from '../../request.ts'
import { toData } from '../../sandbox-arguments.ts'
import { showProgress } from '../../show-progress.ts'
import { toTable } from '../../table.ts'
import { warnUnknown } from '../../warn-unknown.ts'

interface SendOptions {
  readonly url: URL
  readonly data?: Overrides
  readonly rate?: number
  readonly repeat: number
  readonly timeout: number
}

interface Outgoing {
  /** The kind, or the file's path. */
  readonly name: string
  readonly body: string | Uint8Array
  readonly headers: Record<string, string>
}

type Sent = Awaited<ReturnType<typeof send>>

/** Of status, name, time and response. */
const COLUMNS = [{}, { least: 8 }, {}, { least: 8 }]

/** Up to this number, all responses are listed. Of more, only those that are not 2xx. */
const MOST_LISTED = 20

export function addSend(program: Command): void {
  addCommand(program, 'send', {
    description:
      'Sign notifications and send them to a URL, as the service does. Exits 0 if every response is a 2xx.',
    examples: [
      `payhook send INBOUND_PAYMENT_STATUS_UPDATED --data '{"status":"Complete"}' --url http://127.0.0.1:3000/`,
      'payhook send body.json --url http://127.0.0.1:3000/webhooks',
      'payhook send VBA_TRANSACTION --url http://127.0.0.1:3000/ --repeat 1000 --rate 200',
    ],
    json: 'print one JSON object per line: the responses, then a summary',
  })
    .argument('<source>', 'a kind, a file with a body, or - for stdin')
    .requiredOption('--url <url>', 'where to send', toUrl)
    .option('--data <json>', 'changes to the sample data of a kind, which has a new id each time', toData)
    .option('--rate <number>', 'how many per second; default: each after the previous response', toCount)
    .option('--repeat <times>', 'how many times to send', toCount, 1)
    .addOption(timeOption('--timeout <time>', 'how long to wait for a response', '10s'))
    .action(async (source: string, options: SendOptions) => {
      report(await sendAll(await openSource(source, options.data), options), options.url)
    })
}

/**
 * Signs what to send: a kind, a file or stdin. A kind has a new id each time, unless the data has one: a
 * receiver ignores a body that it has just received.
 */
async function openSource(source: string, data: Overrides | undefined): Promise<() => Outgoing> {
  const clientId = required('PAYHOOK_CLIENT_ID')
  const isFile = source === '-' || (await stat(source).catch(() => undefined)) !== undefined
  // Unknown kinds can be sent, too.
  if (!isFile && /^[A-Z][A-Z0-9_]*$/.test(source)) {
    warnUnknown('kind', source, PARSED_KINDS)
    return () => {
      const fresh = { [idField(source)]: Math.floor(1e9 * (1 + Math.random())) }
      return { name: source, ...createNotification(source, { clientId, data: { ...fresh, ...data } }) }
    }
  }
  if (data !== undefined) throw new UsageError('--data requires a kind; a file is sent unchanged.')
  if (!isFile)
    throw new UsageError(`${source} is neither a file nor a kind. The kinds are ${EVENT_KINDS.join(', ')}.`)
  const body = await readInput(source)
  const headers = { 'content-type': 'application/json', 'access-signature': sign({ body, clientId }) }
  return () => ({ name: source, body, headers })
}

async function sendAll(next: () => Outgoing, { url, rate, repeat, timeout }: SendOptions): Promise<Sent[]> {
  const startedAt = performance.now()
  const sending: Promise<Sent>[] = []
  let done = 0
  for (let index = 0; index < repeat; index++) {
    // Computed from the clock, so that a late timer does not lower the rate.
    if (rate !== undefined) await delay(Math.max(0, startedAt + (index * 1_000) / rate - performance.now()))
    const sent = send(url, next(), timeout).finally(() => showProgress('sending', ++done, repeat))
    sending.push(sent)
    if (rate === undefined) await sent
  }
  return await Promise.all(sending).finally(() => showProgress())
}

async function send(url: URL, { name, body, headers }: Outgoing, timeoutMs: number) {
  const startedAt = performance.now()
  const { status, ...outcome } = await request(url, { method: 'POST', headers, body, timeoutMs }).then(
    (response) => ({ status: response.status, body: Buffer.from(response.body).toString() }),
    ({ message: error }: Failure) => ({ status: undefined, error }),
  )
  const durationMs = Math.round((performance.now() - startedAt) * 10) / 10
  const isAccepted = status !== undefined && status >= 200 && status <= 299
  return { name, signature: headers['access-signature'], status, ...outcome, durationMs, isAccepted }
}

function report(sent: readonly Sent[], url: URL): void {
  const failed = sent.filter(({ isAccepted }) => !isAccepted)
  const latencies = sent.map(({ durationMs }) => durationMs).sort((left, right) => left - right)
  const [p50Ms, p99Ms] = [50, 99].map((percent) => latencies[Math.ceil((sent.length * percent) / 100) - 1])
  const responses = sent.map(({ isAccepted: _, ...each }) => ({ type: 'response', ...each }))
  const accepted = sent.length - failed.length
  print([...responses, { type: 'summary', sent: sent.length, accepted, p50Ms, p99Ms }], () => {
    const rows = (sent.length <= MOST_LISTED ? sent : failed.slice(0, MOST_LISTED)).map((each) => [
      paint(each.isAccepted ? 'green' : 'red', `${each.status ?? '---'}`),
      each.name,
      `${each.durationMs} ms`,
      toText(each).slice(0, 120),
    ])
    const outcomes = Map.groupBy(sent, (each) => each.status ?? `no response (${toText(each)})`)
    const counts = [...outcomes].map(([outcome, { length }]) => `${length} × ${outcome}`)
    const totals = `${sent.length} sent: ${counts.join(', ')}; p50 ${p50Ms} ms, p99 ${p99Ms} ms`
    return toTable([...rows, []], COLUMNS).concat(toOneLine(totals))
  })
  if (failed.length === 0) return
  const message = `${failed.length} of ${sent.length} were not accepted by ${url.origin}${url.pathname}.`
  throw new Failure('not_accepted', message)
}

function toText(sent: Sent): string {
  return 'error' in sent ? sent.error : sent.body
}

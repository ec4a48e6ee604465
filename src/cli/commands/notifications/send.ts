import { isUtf8 } from 'node:buffer'
import { readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import { EVENT_KINDS, PARSED_KINDS } from '../../../events/kinds.ts'
import { createNotification } from '../../../testing/create-notification.ts'
import { toCurl } from '../../../testing/curl.ts'
import { idField, type Overrides } from '../../../testing/sample-data.ts'
import { sign } from '../../../verification/signature.ts'
import { addCommand } from '../../command.ts'
import { toData } from '../../data-argument.ts'
import { required } from '../../environment.ts'
import { Failure, UsageError } from '../../errors.ts'
import { timeOption, toCount, toUrl } from '../../option-values.ts'
import { paint, print, toOneLine } from '../../output.ts'
import { readInput } from '../../read-input.ts'
import { request } from '../../request.ts'
import { showProgress } from '../../show-progress.ts'
import { type Cell, toTable } from '../../table.ts'
import { warnUnknown } from '../../warn-unknown.ts'

interface SendOptions {
  readonly url: URL
  readonly data?: Overrides
  readonly rate?: number
  readonly repeat: number
  readonly timeout: number
  readonly curl?: string
}

/** A signed body to send. */
interface Outgoing {
  /** The kind, or the file's path. */
  readonly name: string
  readonly body: Uint8Array
  readonly headers: Record<string, string>
}

/** The outcome of sending one notification. */
interface Sent {
  readonly name: string
  readonly signature: string
  readonly durationMs: number
  /** Status of the response, if there was one. */
  readonly status?: number
  readonly body?: string
  /** Why there was no response. */
  readonly error?: string
}

/** Of status, name, time and response. */
const COLUMNS = [{}, { least: 8 }, {}, { least: 8 }]

/** Up to this number, all responses are listed. Of more, only those that are not 2xx. */
const MOST_LISTED = 20

export function addSend(program: Command): void {
  addCommand(program, 'send', {
    description:
      'Sign notifications and send them to a URL, as the service does. Exits 0 if every response is a 2xx.',
    examples: [
      'payhook send INBOUND_PAYMENT_STATUS_UPDATED --url http://127.0.0.1:3000/webhooks',
      `payhook send INBOUND_PAYMENT_STATUS_UPDATED --data '{"status":"Complete"}' --url http://127.0.0.1:3000/`,
      'payhook send notifications/ --url http://127.0.0.1:3000/ --curl send.sh',
      'payhook send VBA_TRANSACTION --url http://127.0.0.1:3000/ --repeat 1000 --rate 200',
    ],
    json: 'print one JSON object per line: the responses, then a summary',
  })
    .argument('<source>', 'a kind, a file with a body, a folder of such files, or - for stdin')
    .requiredOption('--url <url>', 'where to send', toUrl)
    .option('--data <json>', 'changes to the sample data of a kind, which has a new id each time', toData)
    .option('--rate <number>', 'how many per second; default: each after the previous response', toCount)
    .option('--repeat <times>', 'how many times to send', toCount, 1)
    .addOption(timeOption('--timeout <time>', 'how long to wait for a response', '10s'))
    .option('--curl <file>', 'also write the requests to a file, as curl commands')
    .action(async (source: string, options: SendOptions) => {
      const next = await openSource(source, options.data)
      const outgoing = Array.from({ length: options.repeat }, next).flat()
      if (options.curl !== undefined) await writeCurl(options.curl, options.url, outgoing)
      report(await sendAll(outgoing, options), options.url)
    })
}

/**
 * Signs what to send: a kind, a file, each file of a folder in the order of their names, or stdin. A kind has a
 * new id each time, unless the data has one: a receiver ignores a body that it has just received.
 *
 * @throws UsageError if it is neither a kind nor a file; Failure if a file cannot be read
 */
async function openSource(source: string, data: Overrides | undefined): Promise<() => readonly Outgoing[]> {
  const clientId = required('PAYHOOK_CLIENT_ID')
  const found = source === '-' ? undefined : await stat(source).catch(() => undefined)
  // Unknown kinds can be sent, too.
  if (source !== '-' && found === undefined && /^[A-Z][A-Z0-9_]*$/.test(source)) {
    warnUnknown('kind', source, PARSED_KINDS)
    return () => [fromKind(source, clientId, data)]
  }
  if (data !== undefined) throw new UsageError('--data requires a kind; a file is sent unchanged.')
  if (source !== '-' && found === undefined) {
    throw new UsageError(`${source} is neither a file nor a kind. The kinds are ${EVENT_KINDS.join(', ')}.`)
  }
  const files = found?.isDirectory() ? await filesOf(source) : [source]
  const bodies = await Promise.all(files.map(readInput))
  const outgoing = bodies.map((body, index) => ({
    name: files[index] as string,
    body,
    headers: { 'content-type': 'application/json', 'access-signature': sign({ body, clientId }) },
  }))
  return () => outgoing
}

function fromKind(kind: string, clientId: string, data: Overrides = {}): Outgoing {
  const fresh = { [idField(kind)]: Math.floor(1e9 * (1 + Math.random())) }
  const { body, headers } = createNotification(kind, { clientId, data: { ...fresh, ...data } })
  return { name: kind, body: new TextEncoder().encode(body), headers }
}

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
  if (files.length === 0) throw new UsageError(`${folder} has no files to send.`)
  return files.map(({ name }) => join(folder, name)).sort()
}

async function writeCurl(file: string, url: URL, outgoing: readonly Outgoing[]): Promise<void> {
  const commands = outgoing.map(({ name, headers, body }) => {
    const bytes = Buffer.from(body)
    const text = isUtf8(bytes) ? bytes.toString() : undefined
    const command = toCurl({ url: url.href, headers, bodyBase64: bytes.toString('base64'), text })
    return `# ${toOneLine(name)}\n${command}\n`
  })
  // For its owner: the URL may hold the callback token.
  await writeFile(file, `#!/bin/sh\n${commands.join('')}`, { mode: 0o700 })
}

async function sendAll(outgoing: readonly Outgoing[], { url, rate, timeout }: SendOptions): Promise<Sent[]> {
  const startedAt = performance.now()
  const sending: Promise<Sent>[] = []
  let done = 0
  for (const [index, each] of outgoing.entries()) {
    // Computed from the clock, so that a late timer does not lower the rate.
    if (rate !== undefined) await delay(Math.max(0, startedAt + (index * 1_000) / rate - performance.now()))
    const sent = send(url, each, timeout).finally(() => showProgress('sending', ++done, outgoing.length))
    sending.push(sent)
    if (rate === undefined) await sent
  }
  const all = await Promise.all(sending)
  showProgress()
  return all
}

async function send(url: URL, { name, body, headers }: Outgoing, timeoutMs: number): Promise<Sent> {
  const startedAt = performance.now()
  const outcome = await request(url, { method: 'POST', headers, body, timeoutMs }).then(
    (response) => ({ status: response.status, body: Buffer.from(response.body).toString() }),
    (error: Failure) => ({ error: error.message }),
  )
  const durationMs = Math.round((performance.now() - startedAt) * 10) / 10
  return { name, signature: headers['access-signature'] ?? '', ...outcome, durationMs }
}

function report(sent: readonly Sent[], url: URL): void {
  const failed = sent.filter((each) => !isAccepted(each))
  const latencies = sent.map(({ durationMs }) => durationMs).sort((left, right) => left - right)
  const p50Ms = percentile(latencies, 50)
  const p99Ms = percentile(latencies, 99)
  const summary = { type: 'summary', sent: sent.length, accepted: sent.length - failed.length, p50Ms, p99Ms }
  print([...sent.map((each) => ({ type: 'response', ...each })), summary], () => {
    const rows = (sent.length <= MOST_LISTED ? sent : failed.slice(0, MOST_LISTED)).map(toRow)
    const outcomes = Map.groupBy(sent, ({ status, error }) => status ?? `no response (${error})`)
    const counts = [...outcomes].map(([outcome, { length }]) => `${length} × ${outcome}`)
    const totals = `${sent.length} sent: ${counts.join(', ')}; p50 ${p50Ms} ms, p99 ${p99Ms} ms`
    return toTable([...rows, []], COLUMNS).concat(toOneLine(totals))
  })
  if (failed.length === 0) return
  const message = `${failed.length} of ${sent.length} were not accepted by ${url.origin}${url.pathname}.`
  throw new Failure('not_accepted', message)
}

function isAccepted({ status = 0 }: Sent): boolean {
  return status >= 200 && status <= 299
}

function toRow(sent: Sent): Cell[] {
  const { name, status = '---', durationMs, body, error } = sent
  return [
    paint(isAccepted(sent) ? 'green' : 'red', String(status)),
    name,
    `${durationMs} ms`,
    (error ?? body ?? '').slice(0, 120),
  ]
}

function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? 0
}

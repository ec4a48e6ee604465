import { isUtf8 } from 'node:buffer'
import { writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Overrides } from '../../../testing/sample-data.ts'
import { addCommand } from '../../command.ts'
import { toData } from '../../data-argument.ts'
import { required } from '../../environment.ts'
import { Failure } from '../../errors.ts'
import { timeOption, toCount, toUrl } from '../../option-values.ts'
import { type Outgoing, openSource } from '../../outgoing.ts'
import { paint, print, toOneLine } from '../../output.ts'
import { createProgressBar } from '../../progress-bar.ts'
import { request } from '../../request.ts'
import { type Cell, toTable } from '../../table.ts'

interface SendOptions {
  readonly url: URL
  readonly data?: Overrides
  readonly rate?: number
  readonly repeat: number
  readonly timeout: number
  readonly curl?: string
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
    .option(
      '--rate <number>',
      'how many to send per second; default: each after the response to the previous one',
      toCount,
    )
    .option('--repeat <times>', 'how many times to send', toCount, 1)
    .addOption(timeOption('--timeout <time>', 'how long to wait for a response', '10s'))
    .option('--curl <file>', 'also write the requests to a file, as curl commands')
    .action(async (source: string, options: SendOptions) => {
      const next = await openSource(source, required('PAYHOOK_CLIENT_ID'), options.data)
      const outgoing = Array.from({ length: options.repeat }, next).flat()
      if (options.curl !== undefined) await writeCurl(options.curl, options.url, outgoing)
      report(await sendAll(outgoing, options), options.url)
    })
}

async function writeCurl(file: string, url: URL, outgoing: readonly Outgoing[]): Promise<void> {
  const commands = outgoing.map((each) => `# ${toOneLine(each.name)}\n${toCurlCommand(url, each)}\n`)
  // For its owner: the URL may hold the callback token.
  await writeFile(file, `#!/bin/sh\n${commands.join('')}`, { mode: 0o700 })
}

/** The curl command that sends the exact bytes; base64 where a shell cannot quote them. */
function toCurlCommand(url: URL, { body, signature }: Outgoing): string {
  const headers = `-H 'Content-Type: application/json' -H 'ACCESS-SIGNATURE: ${signature}'`
  const request = `curl -sS -X POST ${quote(url.href)} ${headers}`
  if (isUtf8(body) && !body.includes(0)) {
    // curl reads a file if the data begins with an @.
    const text = Buffer.from(body).toString()
    if (!text.startsWith('@')) return `${request} --data-binary ${quote(text)}`
  }
  const base64 = Buffer.from(body).toString('base64')
  return `printf '%s' '${base64}' | base64 -d | ${request} --data-binary @-`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

async function sendAll(outgoing: readonly Outgoing[], { url, rate, timeout }: SendOptions): Promise<Sent[]> {
  const bar = createProgressBar('sending', outgoing.length)
  const startedAt = performance.now()
  const sending: Promise<Sent>[] = []
  let done = 0
  for (const [index, each] of outgoing.entries()) {
    // Computed from the clock, so that a late timer does not lower the rate.
    if (rate !== undefined) await delay(Math.max(0, startedAt + (index * 1_000) / rate - performance.now()))
    const sent = send(url, each, timeout).finally(() => bar.show(++done))
    sending.push(sent)
    if (rate === undefined) await sent
  }
  const all = await Promise.all(sending)
  bar.clear()
  return all
}

async function send(url: URL, { name, body, signature }: Outgoing, timeoutMs: number): Promise<Sent> {
  const startedAt = performance.now()
  const headers = { 'content-type': 'application/json', 'access-signature': signature }
  const outcome = await request(url, { method: 'POST', headers, body, timeoutMs }).then(
    (response) => ({ status: response.status, body: Buffer.from(response.body).toString() }),
    (error: Failure) => ({ error: error.message }),
  )
  return { name, signature, ...outcome, durationMs: Math.round((performance.now() - startedAt) * 10) / 10 }
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
    return toTable([...rows, []], [1, 3]).concat(toOneLine(totals))
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

import { writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Overrides } from '../../../testing/sample-data.ts'
import { toCurlCommand } from '../../curl-command.ts'
import { required } from '../../environment.ts'
import { Failure } from '../../errors.ts'
import { toData } from '../../json-argument.ts'
import { timeOption, toCount, toUrl } from '../../option-values.ts'
import { type Outgoing, openSource } from '../../outgoing.ts'
import { paint, print, printJson, toOneLine, toTable } from '../../output.ts'
import { type Answer, post } from '../../post.ts'
import { createProgressBar } from '../../progress-bar.ts'

interface SendOptions {
  readonly url: URL
  readonly data?: Overrides
  readonly rate?: number
  readonly repeat: number
  readonly timeout: number
  readonly curl?: string
  readonly json?: true
}

/** Up to this number, all responses are listed. Of more, only those that are not 2xx. */
const MOST_LISTED = 20

export function addSend(program: Command): void {
  program
    .command('send')
    .summary('sign notifications and send them to a URL')
    .description(
      'Signs notifications and sends them to a URL, as the service does. Exits 0 if every response is a 2xx.',
    )
    .argument('<source>', 'a kind, a file with a body, a folder of such files, or - for stdin')
    .requiredOption('--url <url>', 'where to send', toUrl)
    .option('--data <json>', 'changes to the sample data of a kind', toData)
    .option(
      '--rate <number>',
      'how many to send per second; default: each after the response to the previous one',
      toCount,
    )
    .option('--repeat <times>', 'how many times to send; a kind gets a new id each time', toCount, 1)
    .addOption(timeOption('--timeout <time>', 'how long to wait for a response', '10s'))
    .option('--curl <file>', 'also write the requests to a file, as curl commands')
    .option('--json', 'print one JSON object per line: the responses, then a summary')
    .addHelpText(
      'after',
      `
Examples:
  payhook send INBOUND_PAYMENT_STATUS_UPDATED --url http://127.0.0.1:3000/webhooks
  payhook send INBOUND_PAYMENT_STATUS_UPDATED --data '{"status":"Complete"}' --url http://127.0.0.1:3000/
  payhook send notifications/ --url http://127.0.0.1:3000/ --curl send.sh
  payhook send VBA_TRANSACTION --url http://127.0.0.1:3000/ --repeat 1000 --rate 200`,
    )
    .action(async (source: string, options: SendOptions) => {
      const next = await openSource(source, required('PAYHOOK_CLIENT_ID'), options.data)
      const outgoing = Array.from({ length: options.repeat }, (_, turn) => next(turn)).flat()
      if (options.curl !== undefined) await writeCurl(options.curl, options.url, outgoing)
      report(await sendAll(outgoing, options), options)
    })
}

async function writeCurl(file: string, url: URL, outgoing: readonly Outgoing[]): Promise<void> {
  const commands = outgoing.map((each) => `# ${toOneLine(each.name)}\n${toCurlCommand(url, each)}\n`)
  // For its owner: the URL may hold the callback token.
  await writeFile(file, `#!/bin/sh\n${commands.join('')}`, { mode: 0o700 })
}

async function sendAll(outgoing: readonly Outgoing[], options: SendOptions): Promise<Answer[]> {
  const { url, rate, timeout } = options
  const bar = createProgressBar('sending', outgoing.length)
  const startedAt = performance.now()
  const sending: Promise<Answer>[] = []
  let answered = 0
  for (const [index, each] of outgoing.entries()) {
    // Computed from the clock, so that a late timer does not lower the rate.
    if (rate !== undefined) await delay(startedAt + (index * 1_000) / rate - performance.now())
    const answer = post(url, each, timeout).finally(() => bar.show(++answered))
    sending.push(answer)
    if (rate === undefined) await answer
  }
  const answers = await Promise.all(sending)
  bar.clear()
  return answers
}

function report(answers: readonly Answer[], { url, json }: SendOptions): void {
  const failed = answers.filter((answer) => !isAccepted(answer))
  const listed = answers.length <= MOST_LISTED ? answers : failed.slice(0, MOST_LISTED)
  const latencies = answers.map(({ durationMs }) => durationMs).sort((left, right) => left - right)
  const p50Ms = percentile(latencies, 50)
  const p99Ms = percentile(latencies, 99)
  if (json) {
    for (const answer of answers) printJson({ type: 'answer', ...answer })
    printJson({
      type: 'summary',
      sent: answers.length,
      accepted: answers.length - failed.length,
      p50Ms,
      p99Ms,
    })
  } else {
    const rows = listed.map((answer) => [
      colour(answer),
      answer.name,
      `${answer.durationMs} ms`,
      reply(answer),
    ])
    for (const line of toTable(rows)) print(line)
    const counts = [...Map.groupBy(answers, outcome)].map(([name, { length }]) => `${length} × ${name}`)
    print(`${answers.length} sent: ${counts.join(', ')}; p50 ${p50Ms} ms, p99 ${p99Ms} ms`)
  }
  if (failed.length > 0) {
    throw new Failure(
      `${failed.length} of ${answers.length} were not accepted by ${url.origin}${url.pathname}.`,
      {
        code: 'not_accepted',
      },
    )
  }
}

function isAccepted({ status = 0 }: Answer): boolean {
  return status >= 200 && status <= 299
}

function outcome({ status, error }: Answer): string {
  return status === undefined ? `no response (${error})` : String(status)
}

function colour(answer: Answer): string {
  return paint(isAccepted(answer) ? 'green' : 'red', String(answer.status ?? '---'))
}

function reply({ body, error }: Answer): string {
  return toOneLine(error ?? body ?? '').slice(0, 120)
}

function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? 0
}

import { setTimeout as delay } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import { addSandboxCommand, callSandbox, printDeliveries, sandboxUrl } from '../../control-api.ts'
import { Failure } from '../../errors.ts'
import { untilInterrupted } from '../../interruption.ts'
import { timeOption, toCount } from '../../option-values.ts'
import { note, print } from '../../output.ts'

interface WaitOptions {
  readonly kind?: string
  readonly status?: string
  readonly count: number
  readonly ready?: true
  readonly timeout: number
}

const INTERVAL_MS = 100
/** How long one question to the sandbox may take at the end. */
const ANSWER_MS = 2_000

export function addWait(program: Command): void {
  const ready = new Option('--ready', 'wait for the sandbox, and print its address')
  addSandboxCommand(program, 'wait', {
    description:
      'Wait until a running sandbox has delivered notifications. They count if the application responded with a 2xx, earlier ones too. Exits 1 on timeout. For CI.',
    examples: [
      'payhook wait --ready',
      'payhook wait --kind INBOUND_PAYMENT_STATUS_UPDATED --status Complete',
      'payhook wait --count 10 --timeout 1m',
    ],
  })
    .option('--kind <kind>', 'of this kind')
    .option('--status <status>', 'whose payment or invoice has this status')
    .option('--count <number>', 'how many', toCount, 1)
    .addOption(ready.conflicts(['kind', 'status', 'count']))
    .addOption(timeOption('--timeout <time>', 'how long to wait', '30s'))
    .action((options: WaitOptions) =>
      untilInterrupted((signal) =>
        wait(options, signal).catch((error) => {
          if (!signal.aborted) throw error
        }),
      ),
    )
}

async function wait(options: WaitOptions, signal: AbortSignal): Promise<void> {
  const { ready, count, timeout, kind = 'any kind', status } = options
  if (!ready) note(`Waiting for ${count} of ${kind}${status === undefined ? '' : `, ${status}`}.`)
  const end = performance.now() + timeout
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeout + ANSWER_MS)])
  while (true) {
    const missing = await (ready ? findSandbox(signal) : findDeliveries(options, limit))
    if (missing === undefined) return
    if (performance.now() > end) throw new Failure('timed_out', `${missing} after ${timeout / 1_000} s.`)
    await delay(INTERVAL_MS, undefined, { signal })
  }
}

/** Prints its address. Returns what is still missing. */
async function findSandbox(signal: AbortSignal): Promise<string | undefined> {
  const { origin: url } = sandboxUrl()
  try {
    await callSandbox('GET faults', {}, AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]))
  } catch (error) {
    if (error instanceof Failure) return `There is no sandbox at ${url}`
    throw error
  }
  print({ url }, () => url)
}

/** Prints what has been delivered, oldest first. Returns what is still missing. */
async function findDeliveries(
  { kind, status, count }: WaitOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  const query = { state: 'delivered', ...(kind !== undefined && { kind }) }
  if (status === undefined) {
    // Many deliveries take long to read, and this is asked ten times a second.
    const { total } = await callSandbox('GET deliveries', { query: { ...query, limit: '1' } }, signal)
    if (total < count) return `${total} of ${count} were delivered`
  }
  const { deliveries } = await callSandbox('GET deliveries', { query }, signal)
  const found = deliveries.filter(({ highlights }) => status === undefined || highlights.status === status)
  if (found.length < count) return `${found.length} of ${count} were delivered`
  printDeliveries(found.reverse().slice(0, count))
}

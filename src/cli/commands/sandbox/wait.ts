import { setTimeout as delay } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import type { DeliveriesJson, DeliverySummaryJson } from '../../../sandbox/control/wire.ts'
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

export function addWait(program: Command): void {
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
    .addOption(
      new Option('--ready', 'wait until the sandbox itself is ready, and print its address').conflicts([
        'kind',
        'status',
        'count',
      ]),
    )
    .addOption(timeOption('--timeout <time>', 'how long to wait', '30s'))
    .action((options: WaitOptions) =>
      untilInterrupted(async (signal) => {
        try {
          await (options.ready ? waitReady(options, signal) : waitForDeliveries(options, signal))
        } catch (error) {
          if (!signal.aborted) throw error
        }
      }),
    )
}

async function waitReady({ timeout }: WaitOptions, signal: AbortSignal): Promise<void> {
  const { origin } = sandboxUrl()
  await poll(timeout, signal, async () => {
    try {
      await callSandbox('GET', 'faults', undefined, AbortSignal.any([signal, AbortSignal.timeout(2_000)]))
    } catch (error) {
      if (error instanceof Failure) return `There is no sandbox at ${origin} after ${timeout / 1_000} s.`
      throw error
    }
    print({ url: origin }, ({ url }) => url)
  })
}

async function waitForDeliveries(options: WaitOptions, signal: AbortSignal): Promise<void> {
  const { count, timeout, kind = 'any kind', status } = options
  note(`Waiting for ${count} of ${kind}${status === undefined ? '' : `, ${status}`}.`)
  await poll(timeout, signal, async () => {
    const found = await find(options, signal)
    if (found.length < count) return `${found.length} of ${count} were delivered within ${timeout / 1_000} s.`
    printDeliveries(found.slice(0, count))
  })
}

/** @param attempt returns what is still missing */
async function poll(
  timeout: number,
  signal: AbortSignal,
  attempt: () => Promise<string | undefined>,
): Promise<void> {
  const end = performance.now() + timeout
  while (!signal.aborted) {
    const missing = await attempt()
    if (missing === undefined) return
    if (performance.now() > end) throw new Failure('timed_out', missing)
    await delay(INTERVAL_MS, undefined, { signal })
  }
}

/** What has been delivered, oldest first. */
async function find({ kind, status }: WaitOptions, signal: AbortSignal): Promise<DeliverySummaryJson[]> {
  const query = new URLSearchParams({ state: 'delivered', ...(kind !== undefined && { kind }) })
  const path = `deliveries?${query}`
  const { deliveries } = await callSandbox<DeliveriesJson>('GET', path, undefined, signal)
  return deliveries.filter(({ subject }) => status === undefined || subject.status === status).reverse()
}

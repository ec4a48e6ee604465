import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import { callSandbox, type ListedDelivery, NEEDS_SANDBOX, printDeliveries } from '../../control-api.ts'
import { Failure } from '../../errors.ts'
import { untilInterrupted } from '../../interruption.ts'
import { timeOption, toCount } from '../../option-values.ts'
import { note } from '../../output.ts'

interface WaitOptions {
  readonly kind?: string
  readonly status?: string
  readonly count: number
  readonly timeout: number
  readonly json?: true
}

const INTERVAL_MS = 100

export function addWait(program: Command): void {
  program
    .command('wait')
    .summary('wait until a running sandbox has delivered notifications')
    .description(
      'Waits until a running sandbox has delivered notifications, which means that the application answered with a 2xx. Earlier deliveries count, too. Exits 1 on timeout. For CI.',
    )
    .option('--kind <kind>', 'of this kind')
    .option('--status <status>', 'whose payment or invoice has this status')
    .option('--count <number>', 'how many', toCount, 1)
    .addOption(timeOption('--timeout <time>', 'how long to wait', '30s'))
    .option('--json', 'print one JSON object per line')
    .addHelpText(
      'after',
      `${NEEDS_SANDBOX}

Examples:
  payhook wait --kind INBOUND_PAYMENT_STATUS_UPDATED --status Complete
  payhook wait --count 10 --timeout 1m`,
    )
    .action((options: WaitOptions) =>
      untilInterrupted(async (signal) => {
        try {
          await wait(options, signal)
        } catch (error) {
          if (!signal.aborted) throw error
        }
      }),
    )
}

async function wait(options: WaitOptions, signal: AbortSignal): Promise<void> {
  const { count, timeout, json } = options
  if (!json)
    note(
      `Waiting for ${count} of ${options.kind ?? 'any kind'}${options.status ? `, ${options.status}` : ''}.`,
    )
  const end = performance.now() + timeout
  while (!signal.aborted) {
    const found = await find(options, signal)
    if (found.length >= count) return printDeliveries(found.slice(0, count), json ? { json } : {})
    if (performance.now() > end) {
      throw new Failure(`${found.length} of ${count} were delivered within ${timeout / 1_000} s.`, {
        code: 'timed_out',
      })
    }
    await delay(INTERVAL_MS, undefined, { signal })
  }
}

/** What has been delivered, oldest first. */
async function find({ kind, status }: WaitOptions, signal: AbortSignal): Promise<ListedDelivery[]> {
  const query = new URLSearchParams({ state: 'delivered', ...(kind !== undefined && { kind }) })
  const path = `deliveries?${query}`
  const { deliveries } = await callSandbox<{ deliveries: ListedDelivery[] }>('GET', path, undefined, signal)
  return deliveries.filter(({ subject }) => status === undefined || subject.status === status).reverse()
}

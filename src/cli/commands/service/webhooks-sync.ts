import type { Command } from 'commander'
import type { Client, DesiredWebhook } from '../../../client/index.ts'
import { EVENT_KINDS } from '../../../events/kinds.ts'
import { confirm } from '../../confirm.ts'
import { Failure, UsageError } from '../../errors.ts'
import { addServiceCommand } from '../../open-client.ts'
import { asTyped, toUrl } from '../../option-values.ts'
import { note, print } from '../../output.ts'
import { readInput } from '../../read-input.ts'

interface SyncOptions {
  readonly url?: string
  readonly prune?: true
  readonly dryRun?: true
  readonly yes?: true
}

export function addSync(webhooks: Command): void {
  addServiceCommand(webhooks, 'sync', {
    description:
      'Make the configurations match a file, or one URL for all kinds. Creates and updates configurations. Running it again changes nothing.',
    examples: [
      'payhook webhooks sync webhooks.json --dry-run',
      "payhook webhooks sync --url 'https://shop.example/webhooks?token=a-long-random-token'",
    ],
    run: sync,
  })
    .argument('[file]', 'JSON list of { "event", "callbackUrl" }, or - for stdin')
    .option('--url <url>', 'instead of a file: this URL for each of the kinds', asTyped(toUrl))
    .option('--prune', 'also delete all other configurations; asks first')
    .option('--dry-run', 'only print what would be done')
    .option('--yes', 'prune without asking')
}

async function sync(client: Client, file: string | undefined, options: SyncOptions): Promise<void> {
  const { url, prune, dryRun = false, yes } = options
  const desired = await readDesired(file, url)
  const { formatSyncResult } = await import('../../../client/index.ts')
  if (prune && !dryRun && !yes) {
    const plan = await client.webhooks.sync(desired, { prune, dryRun: true })
    if (plan.deleted.length > 0) {
      note(formatSyncResult(plan, { dryRun: true }))
      await confirm(`Delete ${plan.deleted.length} of the configurations?`, yes)
    }
  }
  const result = await client.webhooks.sync(desired, { prune, dryRun })
  print({ dryRun, ...result }, () => formatSyncResult(result, { dryRun }))
}

/** The client checks the contents of the file. */
async function readDesired(file: string | undefined, url: string | undefined): Promise<DesiredWebhook[]> {
  if ((file === undefined) === (url === undefined)) throw new UsageError('Give a file or --url.')
  if (url !== undefined) return EVENT_KINDS.map((event) => ({ event, callbackUrl: url }))
  const name = file as string
  try {
    return JSON.parse(new TextDecoder().decode(await readInput(name)))
  } catch (cause) {
    if (cause instanceof SyntaxError) throw new Failure('file_invalid', `${name} is not JSON:`, { cause })
    throw cause
  }
}

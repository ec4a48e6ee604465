import type { Command } from 'commander'
import type { DesiredWebhook } from '../../../client/index.ts'
import { confirm } from '../../confirm.ts'
import { Failure } from '../../errors.ts'
import { type ClientCommandOptions, openClient, withClientOptions } from '../../open-client.ts'
import { note, print, printJson } from '../../output.ts'
import { readInput } from '../../read-input.ts'

interface SyncCommandOptions extends ClientCommandOptions {
  readonly prune?: true
  readonly dryRun?: true
  readonly yes?: true
}

export function addSync(webhooks: Command): void {
  withClientOptions(webhooks.command('sync'))
    .summary('make the configurations match a file')
    .description(
      'Creates and updates configurations so that they match a file. Running it again changes nothing.',
    )
    .argument('<file>', 'JSON list of { "event", "callbackUrl" }, or - for stdin')
    .option('--prune', 'also delete configurations that are not in the file; asks first')
    .option('--dry-run', 'only print what would be done')
    .option('--yes', 'prune without asking')
    .addHelpText(
      'after',
      `
Examples:
  payhook webhooks sync webhooks.json --dry-run
  payhook webhooks sync webhooks.json --prune
  echo '[{"event":"VBA_TRANSACTION","callbackUrl":"https://shop.example/hooks"}]' | payhook webhooks sync -`,
    )
    .action(sync)
}

async function sync(file: string, options: SyncCommandOptions): Promise<void> {
  const { prune, dryRun = false, yes, json } = options
  const desired = await readDesired(file)
  const [client, { formatSyncResult }] = await Promise.all([
    openClient(options),
    import('../../../client/index.ts'),
  ])
  if (prune && !dryRun && !yes) {
    const plan = await client.webhooks.sync(desired, { prune, dryRun: true })
    if (plan.deleted.length > 0) {
      note(formatSyncResult(plan, { dryRun: true }))
      await confirm(`Delete ${plan.deleted.length} of the configurations?`, yes)
    }
  }
  const result = await client.webhooks.sync(desired, { prune, dryRun })
  if (json) printJson({ dryRun, ...result })
  else print(formatSyncResult(result, { dryRun }))
}

/** @throws Failure unless it is JSON. The client checks its contents */
async function readDesired(file: string): Promise<DesiredWebhook[]> {
  try {
    return JSON.parse(Buffer.from(await readInput(file)).toString())
  } catch (cause) {
    if (cause instanceof SyntaxError)
      throw new Failure(`${file} is not JSON:`, { code: 'file_invalid', cause })
    throw cause
  }
}

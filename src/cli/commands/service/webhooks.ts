import type { Command } from 'commander'
import type { DeletedWebhook, DesiredWebhook, WebhookConfiguration } from '../../../client/index.ts'
import { UsageError } from '../../errors.ts'
import { type ClientCommandOptions, openClient, withClientOptions } from '../../open-client.ts'
import { checkUrl } from '../../option-values.ts'
import { print, printJson, toOneLine, toTable } from '../../output.ts'
import { addSync } from './webhooks-sync.ts'

export function addWebhooks(program: Command): void {
  const webhooks = program
    .command('webhooks')
    .summary('list and change the callback configurations')
    .description('Lists and changes the callback configurations of your account at the service.')
  addList(webhooks)
  addCreate(webhooks)
  addUpdate(webhooks)
  addDelete(webhooks)
  addSync(webhooks)
}

function addList(webhooks: Command): void {
  withClientOptions(webhooks.command('list'))
    .summary('list the active configurations')
    .description('Prints the active configurations.')
    .addHelpText('after', '\nExamples:\n  payhook webhooks list\n  payhook webhooks list --json')
    .action(async (options: ClientCommandOptions) => {
      printAll(await (await openClient(options)).webhooks.list(), options)
    })
}

function addCreate(webhooks: Command): void {
  withClientOptions(webhooks.command('create'))
    .summary('register a URL for a kind of event')
    .description('Registers a URL for a kind of event.')
    .argument('<kind>', 'kind of event, such as INBOUND_PAYMENT_STATUS_UPDATED')
    .argument('<url>', 'absolute URL that receives the notifications', checkUrl)
    .addHelpText(
      'after',
      '\nExamples:\n  payhook webhooks create INBOUND_PAYMENT_STATUS_UPDATED https://shop.example/webhooks',
    )
    .action(async (event: string, callbackUrl: string, options: ClientCommandOptions) => {
      printAll([await (await openClient(options)).webhooks.create({ event, callbackUrl })], options)
    })
}

function addUpdate(webhooks: Command): void {
  withClientOptions(webhooks.command('update'))
    .summary('change the kind or the URL of a configuration')
    .description('Changes the kind or the URL of a configuration. What you do not give stays unchanged.')
    .argument('<id>', 'id of the configuration, as list prints it')
    .option('--kind <kind>', 'new kind of event')
    .option('--url <url>', 'new callback URL', checkUrl)
    .addHelpText('after', '\nExamples:\n  payhook webhooks update 17 --url https://shop.example/hooks')
    .action(
      async (
        id: string,
        { kind, url, ...options }: ClientCommandOptions & { kind?: string; url?: string },
      ) => {
        if (kind === undefined && url === undefined) throw new UsageError('Give --kind, --url or both.')
        const change: Partial<DesiredWebhook> = {
          ...(kind !== undefined && { event: kind }),
          ...(url !== undefined && { callbackUrl: url }),
        }
        printAll([await (await openClient(options)).webhooks.update(id, change)], options)
      },
    )
}

function addDelete(webhooks: Command): void {
  withClientOptions(webhooks.command('delete'))
    .summary('make a configuration inactive')
    .description('Makes a configuration inactive: nothing more is sent for it.')
    .argument('<id>', 'id of the configuration, as list prints it')
    .addHelpText('after', '\nExamples:\n  payhook webhooks delete 17')
    .action(async (id: string, options: ClientCommandOptions) => {
      printAll([await (await openClient(options)).webhooks.delete(id)], options)
    })
}

function printAll(
  configurations: readonly (WebhookConfiguration | DeletedWebhook)[],
  { json }: { json?: true },
): void {
  if (json) {
    for (const configuration of configurations) printJson(configuration)
    return
  }
  const rows = configurations.map(({ id, event = '', status, callbackUrl = '' }) => [
    id,
    event,
    status,
    hideToken(callbackUrl),
  ])
  for (const line of toTable(rows.map((row) => row.map(toOneLine)))) print(line)
}

/** Masks the callback token, since others may see the terminal. */
function hideToken(url: string): string {
  return url.replace(/([?&]token=)[^&]*/g, '$1…')
}

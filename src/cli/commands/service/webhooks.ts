import type { Command } from 'commander'
import { withoutSecrets } from '../../../client/http/shown-url.ts'
import type { DeletedWebhook, DesiredWebhook, WebhookConfiguration } from '../../../client/index.ts'
import { addGroup } from '../../command.ts'
import { UsageError } from '../../errors.ts'
import { addServiceCommand, openClient, type ServiceOptions } from '../../open-client.ts'
import { asTyped, toUrl } from '../../option-values.ts'
import { type Column, printList } from '../../table.ts'
import { addSync } from './webhooks-sync.ts'

export function addWebhooks(program: Command): void {
  const description = 'List and change the callback configurations of your account.'
  const webhooks = addGroup(program, 'webhooks', description)
  addServiceCommand(webhooks, 'list', {
    description: 'List the active configurations.',
    examples: ['payhook webhooks list', 'payhook webhooks list --json'],
  }).action(async (options: ServiceOptions) => {
    printConfigurations(await (await openClient(options)).webhooks.list())
  })
  addServiceCommand(webhooks, 'create', {
    description: 'Register a URL for a kind of event.',
    examples: ['payhook webhooks create INBOUND_PAYMENT_STATUS_UPDATED https://shop.example/webhooks'],
  })
    .argument('<kind>', 'kind of event, such as INBOUND_PAYMENT_STATUS_UPDATED')
    .argument('<url>', 'absolute URL that receives the notifications', asTyped(toUrl))
    .action(async (event: string, callbackUrl: string, options: ServiceOptions) => {
      printConfigurations([await (await openClient(options)).webhooks.create({ event, callbackUrl })])
    })
  addServiceCommand(webhooks, 'update', {
    description: 'Change the kind or the URL of a configuration. What you do not give stays unchanged.',
    examples: ['payhook webhooks update 17 --url https://shop.example/hooks'],
  })
    .argument('<id>', 'id of the configuration, as list prints it')
    .option('--kind <kind>', 'new kind of event')
    .option('--url <url>', 'new callback URL', asTyped(toUrl))
    .action(
      async (id: string, { kind, url, ...options }: ServiceOptions & { kind?: string; url?: string }) => {
        if (kind === undefined && url === undefined) throw new UsageError('Give --kind, --url or both.')
        const change: Partial<DesiredWebhook> = {
          ...(kind !== undefined && { event: kind }),
          ...(url !== undefined && { callbackUrl: url }),
        }
        printConfigurations([await (await openClient(options)).webhooks.update(id, change)])
      },
    )
  addServiceCommand(webhooks, 'delete', {
    description: 'Make a configuration inactive. Nothing more is sent for it.',
    examples: ['payhook webhooks delete 17'],
  })
    .argument('<id>', 'id of the configuration, as list prints it')
    .action(async (id: string, options: ServiceOptions) => {
      printConfigurations([await (await openClient(options)).webhooks.delete(id)])
    })
  addSync(webhooks)
}

type Listed = WebhookConfiguration | DeletedWebhook

const COLUMNS: readonly Column<Listed>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'KIND', cell: ({ event = '' }) => event, least: 12 },
  { title: 'STATUS', cell: ({ status }) => status },
  { title: 'URL', cell: ({ callbackUrl = '' }) => withoutSecrets(callbackUrl), least: 8 },
]

function printConfigurations(configurations: readonly Listed[]): void {
  printList(configurations, COLUMNS, 'No active configurations.')
}

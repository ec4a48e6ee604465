import type { Command } from 'commander'
import { withoutSecrets } from '../../../client/http/shown-url.ts'
import type { DeletedWebhook, WebhookConfiguration } from '../../../client/index.ts'
import { addGroup } from '../../command.ts'
import { UsageError } from '../../errors.ts'
import { addServiceCommand } from '../../open-client.ts'
import { asTyped, toUrl } from '../../option-values.ts'
import { printList } from '../../table.ts'
import { addSync } from './webhooks-sync.ts'

export function addWebhooks(program: Command): void {
  const description = 'List and change the callback configurations of your account.'
  const webhooks = addGroup(program, 'webhooks', description)
  addServiceCommand(webhooks, 'list', {
    description: 'List the active configurations.',
    examples: ['payhook webhooks list', 'payhook webhooks list --json'],
    run: async (client) => printConfigurations(await client.webhooks.list()),
  })
  addServiceCommand(webhooks, 'create', {
    description: 'Register a URL for a kind of event.',
    examples: [
      "payhook webhooks create INBOUND_PAYMENT_STATUS_UPDATED 'https://shop.example/webhooks?token=a-long-random-token'",
    ],
    async run(client, event: string, callbackUrl: string) {
      printConfigurations([await client.webhooks.create({ event, callbackUrl })])
    },
  })
    .argument('<kind>', 'kind of event, such as INBOUND_PAYMENT_STATUS_UPDATED')
    .argument('<url>', 'absolute URL that receives the notifications', asTyped(toUrl))
  addServiceCommand(webhooks, 'update', {
    description: 'Change the kind or the URL of a configuration. What you do not give stays unchanged.',
    examples: ["payhook webhooks update 17 --url 'https://shop.example/webhooks?token=a-long-random-token'"],
    async run(client, id: string, { kind, url }: { kind?: string; url?: string }) {
      if (kind === undefined && url === undefined) throw new UsageError('Give --kind, --url or both.')
      const change = {
        ...(kind !== undefined && { event: kind }),
        ...(url !== undefined && { callbackUrl: url }),
      }
      printConfigurations([await client.webhooks.update(id, change)])
    },
  })
    .argument('<id>', 'id of the configuration, as list prints it')
    .option('--kind <kind>', 'new kind of event')
    .option('--url <url>', 'new callback URL', asTyped(toUrl))
  addServiceCommand(webhooks, 'delete', {
    description: 'Make a configuration inactive. Nothing more is sent for it.',
    examples: ['payhook webhooks delete 17'],
    async run(client, id: string) {
      printConfigurations([await client.webhooks.delete(id)])
    },
  }).argument('<id>', 'id of the configuration, as list prints it')
  addSync(webhooks)
}

function printConfigurations(configurations: readonly (WebhookConfiguration | DeletedWebhook)[]): void {
  printList(
    configurations,
    [
      { title: 'ID', cell: ({ id }) => id },
      { title: 'KIND', cell: ({ event = '' }) => event, least: 12 },
      { title: 'STATUS', cell: ({ status }) => status },
      { title: 'URL', cell: ({ callbackUrl = '' }) => withoutSecrets(callbackUrl), least: 8 },
    ],
    'No active configurations.',
  )
}

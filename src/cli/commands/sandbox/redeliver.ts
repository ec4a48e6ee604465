import type { Command } from 'commander'
import { addSandboxCommand, sendAndPrint } from '../../control-api.ts'
import { checkData, toNotification } from '../../data-argument.ts'

interface RedeliverOptions {
  readonly data?: string
  readonly body?: string
}

export function addRedeliver(program: Command): void {
  const id = '7350dc35-5a8b-4ac9-a148-7eec3c76dbd8'
  addSandboxCommand(program, 'redeliver', {
    description:
      'Send a delivery of a running sandbox again. Unchanged or edited, with a new signature. Exits 0 if it was delivered.',
    examples: [
      `payhook redeliver ${id}`,
      `payhook deliveries ${id} --body | sed 's/Sent/Complete/' | payhook redeliver ${id} --body -`,
    ],
  })
    .argument('<id>', 'id of the delivery, as deliveries prints it')
    .option('--data <json>', 'other data', checkData)
    .option('--body <file>', 'the exact bytes of a file instead, or of stdin for -')
    .action(async (delivery: string, options: RedeliverOptions) => {
      const path = `deliveries/${encodeURIComponent(delivery)}/redeliver`
      await sendAndPrint(path, await toNotification({}, options))
    })
}

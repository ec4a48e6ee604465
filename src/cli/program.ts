import { createRequire } from 'node:module'
import { Command } from 'commander'
import { addCompletion } from './commands/completion.ts'
import { addDemo } from './commands/demo.ts'
import { addInbox } from './commands/inbox/inbox.ts'
import { addCheck } from './commands/notifications/check.ts'
import { addListen } from './commands/notifications/listen.ts'
import { addSend } from './commands/notifications/send.ts'
import { addSignatures } from './commands/notifications/signatures.ts'
import { addDeliveries } from './commands/sandbox/deliveries.ts'
import { addFaults } from './commands/sandbox/faults.ts'
import { addSandbox } from './commands/sandbox/sandbox.ts'
import { addTrigger } from './commands/sandbox/trigger.ts'
import { addWait } from './commands/sandbox/wait.ts'
import { addWalk } from './commands/sandbox/walk.ts'
import { addAccess } from './commands/service/access.ts'
import { addWebhooks } from './commands/service/webhooks.ts'
import { note } from './output.ts'

/** In the order of the help. */
const COMMANDS = [
  addSandbox,
  addDemo,
  addTrigger,
  addWalk,
  addDeliveries,
  addFaults,
  addWait,
  addListen,
  addSend,
  addCheck,
  addSignatures,
  addAccess,
  addWebhooks,
  addInbox,
  addCompletion,
]

export function createProgram(): Command {
  const program = new Command('payhook')
  program
    .description('Receives, sends and inspects the signed notifications of the payments service.')
    .version(createRequire(import.meta.url)('payhook/package.json').version, '-V, --version')
    .exitOverride()
    // At 80 columns, the longest command leaves 37 to its description. By default, that is not wrapped.
    .configureHelp({ minWidthToWrap: 30 })
    .configureOutput({ outputError() {}, writeErr: (help) => note(help.trimEnd()) })
    .addHelpText(
      'after',
      `
Environment:
  PAYHOOK_CLIENT_ID      client id of your application
  PAYHOOK_CLIENT_SECRET  client secret of your application
  PAYHOOK_BASE_URL       address of the service or of a sandbox
  PAYHOOK_SERVICE_PATH   the service's own name in its paths, svc by default

Examples:
  payhook sandbox
  payhook sign body.json`,
    )
  for (const add of COMMANDS) add(program)
  return program
}

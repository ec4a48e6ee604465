import { createRequire } from 'node:module'
import { Command } from 'commander'
import { addCompletion } from './completion.ts'
import { addDeliveries } from './deliveries.ts'
import { addDemo } from './demo.ts'
import { addFaults } from './faults.ts'
import { addHello } from './hello.ts'
import { addInbox } from './inbox.ts'
import { addListen } from './listen.ts'
import { addRedeliver } from './redeliver.ts'
import { addSandbox } from './sandbox.ts'
import { addSend } from './send.ts'
import { addSign } from './sign.ts'
import { addToken } from './token.ts'
import { addTrigger } from './trigger.ts'
import { addVerify } from './verify.ts'
import { addWait } from './wait.ts'
import { addWalk } from './walk.ts'
import { addWebhooks } from './webhooks.ts'

/** @param json whether errors are to be reported as JSON, by the caller */
export function createProgram(json: boolean): Command {
  const program = new Command('payhook')
  program
    .description('Receives, sends and inspects the signed notifications of the payments service.')
    .version(createRequire(import.meta.url)('payhook/package.json').version, '-V, --version')
    .exitOverride()
    .showHelpAfterError(json ? false : '(add -h for help)')
    .configureOutput(json ? { outputError: () => {} } : {})
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
  addSandbox(program)
  addDemo(program)
  addTrigger(program)
  addWalk(program)
  addDeliveries(program)
  addRedeliver(program)
  addFaults(program)
  addWait(program)
  addListen(program)
  addSend(program)
  addSign(program)
  addVerify(program)
  addToken(program)
  addHello(program)
  addWebhooks(program)
  addInbox(program)
  addCompletion(program)
  return program
}

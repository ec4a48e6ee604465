import type { Command } from 'commander'
import { type ClientCommandOptions, openClient, withClientOptions } from '../../open-client.ts'
import { paint, print, printJson } from '../../output.ts'

export function addHello(program: Command): void {
  withClientOptions(program.command('hello'))
    .summary('check the credentials with the service')
    .description(
      'Requests a token and calls the hello operation with it. Exits 0 if the service accepts both.',
    )
    .addHelpText(
      'after',
      `
Examples:
  payhook hello
  payhook hello --service-path payments`,
    )
    .action(async (options: ClientCommandOptions) => {
      const answer = await (await openClient(options)).hello()
      if (options.json) printJson({ answer })
      else print(`${paint('green', 'ok')} ${JSON.stringify(answer) ?? ''}`.trimEnd())
    })
}

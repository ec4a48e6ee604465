import type { Command } from 'commander'
import { type ClientCommandOptions, openClient, withClientOptions } from '../../open-client.ts'
import { print, printJson } from '../../output.ts'

export function addToken(program: Command): void {
  withClientOptions(program.command('token'))
    .summary('print an access token')
    .description("Prints an access token of the application's own account. Keep it out of logs.")
    .addHelpText(
      'after',
      `
Examples:
  curl -H "Authorization: Bearer $(payhook token)" "$PAYHOOK_BASE_URL/svc/v1.0/hello"
  payhook token --json`,
    )
    .action(async (options: ClientCommandOptions) => {
      const token = await (await openClient(options)).token()
      // Its secrets are getters, which nothing prints by accident.
      const { accessToken, refreshToken } = token
      if (options.json) printJson({ ...token, accessToken, refreshToken })
      else print(accessToken)
    })
}

import type { Command } from 'commander'
import { addServiceCommand, openClient, type ServiceOptions } from '../../open-client.ts'
import { print } from '../../output.ts'

export function addToken(program: Command): void {
  addServiceCommand(program, 'token', {
    description: "Print an access token of the application's own account. Keep it out of logs.",
    examples: [
      'curl -H "Authorization: Bearer $(payhook token)" "$PAYHOOK_BASE_URL/svc/v1.0/hello"',
      'payhook token --json',
    ],
  }).action(async (options: ServiceOptions) => {
    const token = await (await openClient(options)).token()
    // Its secrets are getters, which nothing prints by accident.
    const { accessToken, refreshToken } = token
    print({ ...token, accessToken, refreshToken }, () => accessToken)
  })
}

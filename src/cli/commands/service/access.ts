import type { Command } from 'commander'
import { addServiceCommand } from '../../open-client.ts'
import { paint, print } from '../../output.ts'

export function addAccess(program: Command): void {
  addServiceCommand(program, 'token', {
    description: "Print an access token of the application's own account. Keep it out of logs.",
    examples: ['curl -H "Authorization: Bearer $(payhook token)" "$PAYHOOK_BASE_URL/svc/v1.0/hello"'],
    async run(client) {
      const token = await client.token()
      // Its secrets are getters, which nothing prints by accident.
      const { accessToken, refreshToken } = token
      print({ ...token, accessToken, refreshToken }, () => accessToken)
    },
  })
  addServiceCommand(program, 'hello', {
    description:
      'Check the credentials with the service. Requests a token and calls the hello operation with it. Exits 0 if the service accepts both.',
    examples: ['payhook hello'],
    async run(client) {
      const response = await client.hello()
      print({ response }, () => [paint('green', 'ok'), ` ${JSON.stringify(response) ?? ''}`])
    },
  })
}

import type { Command } from 'commander'
import { addServiceCommand, openClient, type ServiceOptions } from '../../open-client.ts'
import { paint, print } from '../../output.ts'

export function addHello(program: Command): void {
  addServiceCommand(program, 'hello', {
    description:
      'Check the credentials with the service. Requests a token and calls the hello operation with it. Exits 0 if the service accepts both.',
    examples: ['payhook hello', 'payhook hello --service-path payments'],
  }).action(async (options: ServiceOptions) => {
    const response = await (await openClient(options)).hello()
    print({ response }, () => [paint('green', 'ok'), ` ${JSON.stringify(response) ?? ''}`])
  })
}

import { readPage } from '../console/page-document.ts'
import { createSandbox as startSandbox } from './create-sandbox.ts'
import type { Sandbox } from './sandbox.ts'
import type { SandboxOptions } from './state/sandbox-options.ts'

export type { Overrides, SampleObject, SampleValue } from '../testing/sample-data.ts'
export type { RedeliverOptions, Sandbox, TriggerOptions } from './sandbox.ts'
export type { SandboxUser } from './state/accounts.ts'
export type { Delivery, DeliveryAttempt, DeliveryFilter, DeliveryState } from './state/delivery.ts'
export type { ApiFaults, AttemptFaults, Faults, NotificationFaults, SandboxFaults } from './state/faults.ts'
export type { RecordedRequest } from './state/recorded-requests.ts'
export type { SandboxOptions } from './state/sandbox-options.ts'
export type {
  NotifyOptions,
  SandboxInvoice,
  SandboxPayment,
  StatusSequence,
  WalkOptions,
} from './state/status-sequence.ts'

/**
 * Starts a local payments service that behaves as described in docs/protocol.md: the three grants, the
 * authorize page, hello, the webhook operations, and signed notifications with retries. Sandboxes in one
 * process are independent of each other.
 *
 * @throws TypeError if an option is unknown or out of range
 * @throws Error `EADDRINUSE` or another error of the system if the port cannot be used
 * @example
 * const sandbox = await createSandbox()
 * const { clientId, clientSecret, url: baseUrl } = sandbox
 * const client = createClient({ baseUrl, clientId, clientSecret })
 * const callbackUrl = 'http://127.0.0.1:3000/webhooks'
 * await client.webhooks.create({ event: 'ACCOUNT_STATUS_UPDATED', callbackUrl })
 * const [delivery] = await sandbox.trigger('ACCOUNT_STATUS_UPDATED', { verified: false })
 * await sandbox.close()
 */
export function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  return startSandbox(options, () => readPage('sandbox'))
}

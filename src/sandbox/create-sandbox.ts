import { assertOptions } from '../option-checks.ts'
import { DELIVERY_STATES } from './delivery/delivery.ts'
import { Dispatcher } from './delivery/dispatcher.ts'
import { assertKind } from './events/check-notify-options.ts'
import { createInvoice } from './events/invoice.ts'
import { Notifier } from './events/notifier.ts'
import { parseOverrides } from './events/parse-overrides.ts'
import { createPayment } from './events/payment.ts'
import { ResourceIds } from './events/resource-ids.ts'
import { toTriggeredEvents } from './events/triggered-data.ts'
import type { Sandbox } from './sandbox.ts'
import { checkSandboxOptions, type SandboxOptions } from './sandbox-options.ts'
import { APPLICATION, USERS } from './service/accounts.ts'
import { Configurations } from './service/configurations.ts'
import { consent } from './service/consent.ts'
import { listenHttp } from './service/http-server.ts'
import { IssuedTokens } from './service/issued-tokens.ts'
import { RecordedRequests } from './service/recorded-requests.ts'
import { createServiceApp } from './service/service-app.ts'

/**
 * Starts a payments service on this machine that behaves as docs/protocol.md says: the three grants, the
 * authorize page, hello, the webhook operations, and signed notifications with their retries. Two sandboxes in
 * one process do not meet.
 *
 * @throws TypeError for an option that does not exist or is out of range; the system's error when the port is
 *   taken
 * @example
 * const sandbox = await createSandbox()
 * const client = createClient({ baseUrl: sandbox.url, clientId: sandbox.clientId, clientSecret: sandbox.clientSecret })
 * await client.webhooks.create({ event: 'ACCOUNT_STATUS_UPDATED', callbackUrl: 'http://127.0.0.1:3000/webhooks' })
 * const [delivery] = await sandbox.trigger('ACCOUNT_STATUS_UPDATED', { verified: false })
 * await sandbox.close()
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const checked = checkSandboxOptions(options)
  const tokens = new IssuedTokens()
  const configurations = new Configurations()
  const requests = new RecordedRequests(checked.maxRecords)
  const dispatcher = new Dispatcher(checked, (id) => configurations.isActive(id))
  const notifier = new Notifier(configurations, dispatcher)
  const server = await listenHttp(
    (address) => createServiceApp(address, checked, tokens, configurations, requests),
    checked.hostname,
    checked.port,
  )
  const context = { notifier, ids: new ResourceIds(), partner: checked.partner }
  let closing: Promise<void> | undefined

  const close = () => {
    closing ??= Promise.all([dispatcher.close(), server.close()]).then(() => undefined)
    return closing
  }

  return {
    url: server.url,
    clientId: checked.clientId,
    clientSecret: checked.clientSecret,
    users: USERS,
    accountId: APPLICATION.accountId,
    redirectUris: checked.redirectUris,
    trigger: async (kind, data = {}, triggerOptions = {}) => {
      assertKind(kind)
      const events = toTriggeredEvents(kind, parseOverrides('data', data), context)
      assertOptions(triggerOptions, ['inline', 'accountId', 'faults'])
      const { accountId, ...notifyOptions } = triggerOptions
      if (accountId !== undefined && typeof accountId !== 'string')
        throw new TypeError('"accountId" option must be a string')
      return await notifier.deliver(notifier.prepare([{ event: kind, accountId }], events, notifyOptions))
    },
    createPayment: (data = {}) => createPayment(data, context),
    createInvoice: (data = {}) => createInvoice(data, context),
    setFaults: (faults) => notifier.setFaults(faults),
    deliveries: (filter = {}) => {
      assertOptions(filter, ['kind', 'state'])
      if (filter.kind !== undefined) assertKind(filter.kind)
      if (filter.state !== undefined && !DELIVERY_STATES.includes(filter.state))
        throw new TypeError(`"state" must be one of ${DELIVERY_STATES.join(', ')}`)
      return dispatcher.list(filter)
    },
    requests: () => requests.list(),
    on: (listener) => {
      if (typeof listener !== 'function') throw new TypeError('"listener" must be a function')
      return dispatcher.on(listener)
    },
    settled: () => dispatcher.settled(),
    expireTokens: () => tokens.expireAll(),
    revokeTokens: () => tokens.revokeAll(),
    consent: (authorizeUrl, user = USERS[0]) => consent(authorizeUrl, user, checked, tokens),
    close,
    [Symbol.asyncDispose]: close,
  }
}

import { assertOptions } from '../option-checks.ts'
import { DELIVERY_STATES } from './delivery/delivery.ts'
import { FAULTS } from './delivery/faults.ts'
import { assertKind } from './events/check-notify-options.ts'
import { createInvoice } from './events/invoice.ts'
import { Notifier } from './events/notifier.ts'
import { createPayment } from './events/payment.ts'
import { redeliver } from './events/redeliver.ts'
import { findRecipients, trigger } from './events/trigger.ts'
import type { Sandbox, SandboxFaults } from './sandbox.ts'
import { createSandboxApp, type ReadPage } from './sandbox-app.ts'
import { createCore } from './sandbox-core.ts'
import { checkSandboxOptions, type SandboxOptions } from './sandbox-options.ts'
import { checkApiFaults } from './service/api-faults.ts'
import { consent } from './service/consent.ts'
import { listenHttp } from './service/http-server.ts'
import { APPLICATION, USERS } from './state/accounts.ts'
import { StateFile } from './state/state-file.ts'

/** Starts a sandbox whose page comes from `readPage`. */
export async function createSandbox(options: SandboxOptions, readPage: ReadPage): Promise<Sandbox> {
  const core = createCore(checkSandboxOptions(options))
  const { tokens, configurations, requestIds, requests, dispatcher, events, resources, ids, failingApi } =
    core
  const { hostname, port, clientId, clientSecret, redirectUris, partner } = core.options
  const stateFile = core.options.state === '' ? undefined : new StateFile(core.options.state, core)
  const notifier = new Notifier(dispatcher)
  const recipients = (kind: string, accountId?: string) => findRecipients(configurations, kind, accountId)
  const context = { notifier, recipients, ids, resources, partner }
  let faults: SandboxFaults = {}
  let closing: Promise<void> | undefined

  const applyFaults = (wanted: SandboxFaults | undefined) => {
    if (wanted !== undefined) assertOptions(wanted, [...FAULTS, 'api'])
    const { api, ...ofNotifications } = wanted ?? {}
    const checkedApi = api === undefined ? undefined : checkApiFaults(api)
    notifier.setFaults(ofNotifications)
    failingApi.set(checkedApi)
    faults = Object.freeze({ ...notifier.faults, ...(checkedApi && { api: checkedApi }) })
  }
  const setFaults = (wanted: SandboxFaults | undefined) => {
    applyFaults(wanted)
    events.append('faults', faults)
  }
  const reset = async () => {
    applyFaults(undefined)
    configurations.reset()
    tokens.revokeAll()
    requestIds.reset()
    ids.reset()
    resources.clear()
    await dispatcher.reset()
    requests.clear()
    events.append('reset', {})
  }
  const close = () => {
    closing ??= Promise.all([dispatcher.close(), server.close()]).then(() => stateFile?.save())
    return closing
  }
  const sandbox: Omit<Sandbox, 'url'> = {
    clientId,
    clientSecret,
    users: USERS,
    accountId: APPLICATION.accountId,
    redirectUris,
    trigger: (kind, data, triggerOptions = {}) => trigger(kind, data, triggerOptions, context),
    redeliver: async (id, changes = {}) => {
      const record = dispatcher.find(id)
      if (!record) throw new TypeError(`"id" must be the id of a delivery, not ${id}`)
      return await redeliver(record, changes, configurations, notifier)
    },
    createPayment: (data = {}) => createPayment(data, context),
    createInvoice: (data = {}) => createInvoice(data, context),
    setFaults,
    faults: () => faults,
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
    consent: (authorizeUrl, user = USERS[0]) => consent(authorizeUrl, user, core.options, tokens),
    reset,
    close,
    [Symbol.asyncDispose]: close,
  }
  const server = await listenHttp(
    (address, url) => createSandboxApp(address, core, { url, ...sandbox }, stateFile, readPage),
    hostname,
    port,
  )
  return { url: server.url, ...sandbox }
}

import type { StreamEvents } from './control/control-json.ts'
import { toDeliverySummary } from './control/delivery-json.ts'
import { createResource } from './delivery/create-resource.ts'
import { redeliver } from './delivery/redeliver.ts'
import { createCore } from './delivery/sandbox-core.ts'
import { trigger } from './delivery/trigger.ts'
import type { Sandbox } from './sandbox.ts'
import { type ReadPage, serveSandbox } from './serve-sandbox.ts'
import { consent } from './service/authorize-request.ts'
import { APPLICATION, USERS } from './state/accounts.ts'
import { toSnapshot } from './state/delivery.ts'
import { EventLog } from './state/event-log.ts'
import { toRequestJson } from './state/recorded-requests.ts'
import { checkSandboxOptions, type SandboxOptions } from './state/sandbox-options.ts'
import { openStateFile } from './state/state-file.ts'

/** Starts a sandbox whose page comes from `readPage`. */
export async function createSandbox(options: SandboxOptions, readPage: ReadPage): Promise<Sandbox> {
  const events = new EventLog<StreamEvents>()
  const core = createCore(checkSandboxOptions(options), {
    onConfiguration: (configuration) => events.append('configuration', configuration),
    onRequest: (request) => events.append('request', toRequestJson(request)),
    onDelivery: (record) => events.append('delivery', toDeliverySummary(record)),
  })
  const { faults, tokens, configurations, requests, deliveries, dispatcher } = core
  const { clientId, clientSecret, redirectUris, stateFile: statePath } = core.options
  const stateFile = statePath === undefined ? undefined : openStateFile(statePath, core)
  let closing: Promise<void> | undefined

  const reset = async () => {
    faults.set()
    configurations.reset()
    tokens.revokeAll()
    core.requestIds.reset()
    core.ids.restore({})
    core.resources.clear()
    await dispatcher.reset()
    requests.clear()
    events.append('reset', {})
  }
  const close = () => {
    closing ??= Promise.all([dispatcher.close(), server.close()])
      .then(() => stateFile?.save())
      .finally(() => stateFile?.unlock())
    return closing
  }
  const sandbox: Omit<Sandbox, 'url'> = {
    clientId,
    clientSecret,
    users: USERS,
    accountId: APPLICATION.accountId,
    redirectUris,
    trigger: (kind, data, triggerOptions = {}) => trigger(kind, data, triggerOptions, core),
    redeliver: (id, changes = {}) => redeliver(id, changes, core),
    createPayment: (data = {}) => createResource('payments', data, core),
    createInvoice: (data = {}) => createResource('invoices', data, core),
    setFaults: (wanted) => {
      faults.set(wanted)
      events.append('faults', faults.current)
    },
    faults: () => faults.current,
    deliveries: (filter) => deliveries.list(filter).map(toSnapshot),
    requests: () => requests.list(),
    onDelivery: (listener) => {
      if (typeof listener !== 'function') throw new TypeError('"listener" must be a function')
      return dispatcher.onChange(listener)
    },
    settled: () => dispatcher.settled(),
    expireTokens: () => tokens.expireAll(),
    revokeTokens: () => tokens.revokeAll(),
    consent: (authorizeUrl, user = USERS[0]) => consent(authorizeUrl, user, core),
    reset,
    close,
    [Symbol.asyncDispose]: close,
  }
  const server = await serveSandbox({ core, sandbox, events, stateFile, readPage }).catch((error) => {
    stateFile?.unlock()
    throw error
  })
  return { url: server.url, ...sandbox }
}

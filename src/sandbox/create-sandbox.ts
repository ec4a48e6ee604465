import { Hono } from 'hono'
import { readPage } from '../console/page-document.ts'
import { createControlApp, sendControlError } from './control/control-app.ts'
import type { StreamEvents } from './control/control-json.ts'
import { toDeliverySummary } from './control/delivery-json.ts'
import { createResource } from './delivery/create-resource.ts'
import { Dispatcher } from './delivery/dispatcher.ts'
import { redeliver } from './delivery/redeliver.ts'
import { trigger } from './delivery/trigger.ts'
import { listen } from './listen.ts'
import type { Sandbox } from './sandbox.ts'
import { consent } from './service/authorize-request.ts'
import { createHostRules, type HostRules } from './service/host-rules.ts'
import { sendError } from './service/send-error.ts'
import { createServiceApp } from './service/service-app.ts'
import { APPLICATION, USERS } from './state/accounts.ts'
import { toSnapshot } from './state/delivery.ts'
import { EventLog } from './state/event-log.ts'
import { toRequestJson } from './state/recorded-requests.ts'
import { checkSandboxOptions, type SandboxOptions } from './state/sandbox-options.ts'
import { createState } from './state/sandbox-state.ts'
import { openStateFile, type StateFile } from './state/state-file.ts'

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
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const events = new EventLog<StreamEvents>()
  const state = createState(
    checkSandboxOptions(options),
    (configuration) => events.append('configuration', configuration),
    (request) => events.append('request', toRequestJson(request)),
  )
  const { faults, tokens, configurations, requests, deliveries } = state
  const dispatcher = new Dispatcher(state, (record) => events.append('delivery', toDeliverySummary(record)))
  const core = { ...state, dispatcher }
  const { hostname, allowedHosts, clientId, clientSecret, redirectUris, stateFile: path } = state.options
  const stateFile = path === undefined ? undefined : openStateFile(path, state)
  const app = new Hono()
  const server = await listen(app, state.options).catch((error) => {
    stateFile?.unlock()
    throw error
  })
  let closing: Promise<void> | undefined

  const reset = async () => {
    faults.set()
    configurations.reset()
    tokens.revokeAll()
    state.requestIds.reset()
    state.ids.restore({})
    state.resources.clear()
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
  const sandbox: Sandbox = {
    url: server.url,
    clientId,
    clientSecret,
    users: USERS,
    accountId: APPLICATION.accountId,
    redirectUris,
    trigger: (kind, data, triggerOptions = {}) => trigger(kind, data, triggerOptions, core),
    redeliver: (id, changes = {}) => redeliver(id, changes, core),
    createPayment: (data = {}) => createResource('payments', data, core).sequence,
    createInvoice: (data = {}) => createResource('invoices', data, core).sequence,
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
    consent: (authorizeUrl, user = USERS[0]) => consent(authorizeUrl, user, state),
    reset,
    close,
    [Symbol.asyncDispose]: close,
  }
  const hosts = createHostRules(server.address, hostname, allowedHosts)
  addApps(app, hosts, stateFile, {
    control: createControlApp(hosts, core, events, sandbox),
    service: createServiceApp(hosts, core),
  })
  return sandbox
}

function addApps(
  app: Hono,
  hosts: HostRules,
  stateFile: StateFile | undefined,
  { control, service }: Readonly<Record<'control' | 'service', Hono>>,
): void {
  app.onError((error, c) => (c.req.path.startsWith('/_sandbox/') ? sendControlError : sendError)(error, c))
  app.get('/', async (c) => {
    hosts.checkControl(c.req.header('host'))
    const { html, headers } = await readPage('sandbox')
    return c.body(html, 200, headers)
  })
  app.use(async (_c, next) => {
    await next()
    // What the client knows survives the loss of the process.
    await stateFile?.save()
  })
  app.all('/_sandbox/*', (c) => control.fetch(c.req.raw, c.env))
  app.all('*', (c) => service.fetch(c.req.raw, c.env))
}

import type { StreamEvents } from './control/control-json.ts'
import { toDeliverySummary } from './control/delivery-json.ts'
import { Dispatcher } from './delivery/dispatcher.ts'
import { Notifier } from './events/notifier.ts'
import type { CheckedSandboxOptions } from './sandbox-options.ts'
import { FailingApi } from './service/api-faults.ts'
import { Configurations } from './state/configurations.ts'
import { Deliveries } from './state/deliveries.ts'
import { EventLog } from './state/event-log.ts'
import { IssuedTokens } from './state/issued-tokens.ts'
import { RecordedRequests, toRequestJson } from './state/recorded-requests.ts'
import { RequestIds } from './state/request-ids.ts'
import { ResourceIds } from './state/resource-ids.ts'
import { Resources } from './state/resources.ts'

/** The state that the service, the deliveries and the control API share. */
export type SandboxCore = Readonly<ReturnType<typeof createCore>>

export function createCore(options: CheckedSandboxOptions) {
  const events = new EventLog<StreamEvents>()
  const configurations = new Configurations((configuration) => events.append('configuration', configuration))
  const deliveries = new Deliveries()
  const dispatcher = new Dispatcher(
    options,
    deliveries,
    (id) => configurations.findActive(id) !== undefined,
    (record) => events.append('delivery', toDeliverySummary(record)),
  )
  return {
    options,
    events,
    configurations,
    deliveries,
    dispatcher,
    notifier: new Notifier(dispatcher, deliveries, options.clientId),
    resources: new Resources(),
    ids: new ResourceIds(),
    tokens: new IssuedTokens(),
    requestIds: new RequestIds(options.mode === 'lenient'),
    requests: new RecordedRequests((request) => events.append('request', toRequestJson(request))),
    failingApi: new FailingApi(() => dispatcher.closing),
  }
}

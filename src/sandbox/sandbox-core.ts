import type { StreamEvents } from './control/control-json.ts'
import { toDeliverySummary } from './control/delivery-json.ts'
import { Dispatcher } from './delivery/dispatcher.ts'
import { createNotifier } from './events/notifier.ts'
import type { CheckedSandboxOptions } from './sandbox-options.ts'
import { createFailingApi } from './service/api-faults.ts'
import { Configurations } from './state/configurations.ts'
import { Deliveries } from './state/deliveries.ts'
import { EventLog } from './state/event-log.ts'
import { IssuedTokens } from './state/issued-tokens.ts'
import { createRecordedRequests, toRequestJson } from './state/recorded-requests.ts'
import { createRequestIds } from './state/request-ids.ts'
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
    notifier: createNotifier(dispatcher, deliveries, options.clientId),
    resources: new Resources(),
    ids: new ResourceIds(),
    tokens: new IssuedTokens(),
    requestIds: createRequestIds(options.mode === 'lenient'),
    requests: createRecordedRequests((request) => events.append('request', toRequestJson(request))),
    failingApi: createFailingApi(() => dispatcher.closing),
  }
}

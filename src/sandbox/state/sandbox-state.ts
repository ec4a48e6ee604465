import { type Configuration, Configurations } from './configurations.ts'
import { Deliveries } from './deliveries.ts'
import { PlannedFaults } from './faults.ts'
import { IssuedTokens } from './issued-tokens.ts'
import { createRecordedRequests, type RecordedRequest } from './recorded-requests.ts'
import { createRequestIds } from './request-ids.ts'
import { ResourceIds } from './resource-ids.ts'
import { Resources } from './resources.ts'
import type { CheckedSandboxOptions } from './sandbox-options.ts'

export type SandboxState = Readonly<ReturnType<typeof createState>>

export function createState(
  options: CheckedSandboxOptions,
  onConfiguration: (configuration: Configuration) => void,
  onRequest: (request: RecordedRequest) => void,
) {
  return {
    options,
    configurations: new Configurations(onConfiguration),
    deliveries: new Deliveries(),
    resources: new Resources(),
    ids: new ResourceIds(),
    faults: new PlannedFaults(),
    tokens: new IssuedTokens(),
    requestIds: createRequestIds(options.mode === 'lenient'),
    requests: createRecordedRequests(onRequest),
  }
}

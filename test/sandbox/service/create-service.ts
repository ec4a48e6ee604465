import { createCore } from '../../../src/sandbox/delivery/sandbox-core.ts'
import { createHostRules } from '../../../src/sandbox/service/host-rules.ts'
import { createServiceApp } from '../../../src/sandbox/service/service-app.ts'
import { checkSandboxOptions, type SandboxOptions } from '../../../src/sandbox/state/sandbox-options.ts'

/** The service without a server, at an address. */
export function createService(given: SandboxOptions = {}, address = '127.0.0.1') {
  const options = checkSandboxOptions(given)
  const core = createCore(options, {
    onConfiguration() {},
    onRequest() {},
    onDelivery() {},
  })
  const hosts = createHostRules(address, options.hostname)
  return { options, core, hosts, app: createServiceApp(hosts, core) }
}

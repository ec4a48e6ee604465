import { Dispatcher } from '../../../src/sandbox/delivery/dispatcher.ts'
import { createHostRules } from '../../../src/sandbox/service/host-rules.ts'
import { createServiceApp } from '../../../src/sandbox/service/service-app.ts'
import { checkSandboxOptions, type SandboxOptions } from '../../../src/sandbox/state/sandbox-options.ts'
import { createState } from '../../../src/sandbox/state/sandbox-state.ts'

/** The service without a server, at an address. */
export function createService(given: SandboxOptions = {}, address = '127.0.0.1') {
  const options = checkSandboxOptions(given)
  const nobody = () => {}
  const state = createState(options, nobody, nobody)
  const core = { ...state, dispatcher: new Dispatcher(state, nobody) }
  const hosts = createHostRules(address, options.hostname)
  return { options, core, hosts, app: createServiceApp(hosts, core) }
}

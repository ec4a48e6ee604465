import {
  type ControlCall,
  type ControlName,
  type ControlResponse,
  toControlRequest,
} from '../../../sandbox/control/control-call.ts'
import { call } from '../parts/call.ts'

/** Added to what sends notifications: the page sees what becomes of them. */
export const WITHOUT_WAITING = { wait: 'false' }

/** Calls an operation of the control API. */
export async function control<Name extends ControlName>(name: Name, given: ControlCall = {}) {
  const { method, path } = toControlRequest(name, given)
  const headers = { 'content-type': 'application/json' }
  const init = method === 'GET' ? { method } : { method, headers, body: given.body ?? '{}' }
  return await call<ControlResponse<Name>>(`/_sandbox/${path}`, init)
}

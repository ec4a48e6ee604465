import {
  type ControlCall,
  type ControlName,
  type ControlResponse,
  toControlRequest,
} from '../../../sandbox/control/control-call.ts'
import { call } from '../parts/call.ts'

/** Added to what sends notifications: the page sees what becomes of them. */
export const WITHOUT_WAITING = { wait: 'false' }

/** Calls an operation of the control API, with JSON or its text. */
export async function control<Name extends ControlName>(
  name: Name,
  { json = {}, ...given }: ControlCall & { readonly json?: object } = {},
): Promise<ControlResponse<Name>> {
  const { method, path } = toControlRequest(name, given)
  const init = { body: given.body ?? JSON.stringify(json), headers: { 'content-type': 'application/json' } }
  return await call(`/_sandbox/${path}`, method === 'GET' ? {} : { method, ...init })
}

import type { DeliveryRecord } from '../state/delivery.ts'
import type { CheckedSandboxOptions } from '../state/sandbox-options.ts'
import { createState, type StateListeners } from '../state/sandbox-state.ts'
import { Dispatcher } from './dispatcher.ts'

/** What a sandbox remembers, and what sends its notifications. The service and the control API share it. */
export type SandboxCore = Readonly<ReturnType<typeof createCore>>

export interface CoreListeners extends StateListeners {
  readonly onDelivery: (delivery: DeliveryRecord) => void
}

export function createCore(options: CheckedSandboxOptions, listeners: CoreListeners) {
  const state = createState(options, listeners)
  return { ...state, dispatcher: new Dispatcher(state, listeners.onDelivery) }
}

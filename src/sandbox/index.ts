export type { Overrides, SampleObject, SampleValue } from '../testing/sample-data.ts'
export { createSandbox } from './create-sandbox.ts'
export type { RedeliverOptions, Sandbox, TriggerOptions } from './sandbox.ts'
export type { SandboxUser } from './state/accounts.ts'
export type { Delivery, DeliveryAttempt, DeliveryFilter, DeliveryState } from './state/delivery.ts'
export type { ApiFaults, AttemptFaults, Faults, NotificationFaults, SandboxFaults } from './state/faults.ts'
export type { RecordedRequest } from './state/recorded-requests.ts'
export type { SandboxOptions } from './state/sandbox-options.ts'
export type {
  NotifyOptions,
  SandboxInvoice,
  SandboxPayment,
  StatusSequence,
  WalkOptions,
} from './state/status-sequence.ts'

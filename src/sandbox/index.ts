export type { Overrides, SampleObject, SampleValue } from '../testing/sample-data.ts'
export { createSandbox } from './create-sandbox.ts'
export type { Delivery, DeliveryAttempt, DeliveryFilter, DeliveryState } from './delivery/delivery.ts'
export type { AttemptFaults, Faults, NotificationFaults } from './delivery/faults.ts'
export type {
  NotifyOptions,
  RedeliverOptions,
  Sandbox,
  SandboxFaults,
  SandboxInvoice,
  SandboxPayment,
  StatusSequence,
  TriggerOptions,
  WalkOptions,
} from './sandbox.ts'
export type { SandboxOptions } from './sandbox-options.ts'
export type { SandboxUser } from './service/accounts.ts'
export type { ApiFaults } from './service/api-faults.ts'
export type { RecordedRequest } from './service/recorded-requests.ts'

export type { SandboxUser } from './accounts.ts'
export { createSandbox } from './create-sandbox.ts'
export type { Delivery, DeliveryAttempt, DeliveryFilter, DeliveryState } from './delivery.ts'
export type { Faults } from './faults.ts'
export type { RecordedRequest } from './recorded-requests.ts'
export type {
  NotifyOptions,
  Sandbox,
  SandboxInvoice,
  SandboxPayment,
  StatusSequence,
  TriggerOptions,
  WalkOptions,
} from './sandbox.ts'
export type { SandboxOptions } from './sandbox-options.ts'

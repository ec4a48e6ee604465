export { createSandbox } from './create-sandbox.ts'
export type { Delivery, DeliveryAttempt, DeliveryFilter, DeliveryState } from './delivery/delivery.ts'
export type { Faults } from './delivery/faults.ts'
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
export type { SandboxUser } from './service/accounts.ts'
export type { RecordedRequest } from './service/recorded-requests.ts'

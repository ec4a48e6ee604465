import type { Attributes } from '@opentelemetry/api'
import type { TraceMessages } from '../../../src/receiver/tracing.ts'

// The names follow the semantic conventions for messaging, version 1.44. They are copied, as those are still
// in development, and the package that has them changes with every release.

const COMMON = {
  'messaging.system': 'payhook',
  'messaging.destination.name': 'notifications',
} satisfies Attributes

export const OPERATION = {
  put: { ...COMMON, 'messaging.operation.name': 'put', 'messaging.operation.type': 'send' },
  process: { ...COMMON, 'messaging.operation.name': 'process', 'messaging.operation.type': 'process' },
} satisfies Record<string, Attributes>

const MAX_ERROR_TYPES = 100
const errorTypes = new Set<string>()

/** The attributes of an operation in metrics: of low cardinality, though an application may make up codes. */
export function metricAttributes<Name extends keyof typeof OPERATION>(
  name: Name,
  { errorType }: TraceMessages[Name],
): Attributes {
  if (errorType === undefined) return OPERATION[name]
  if (errorTypes.size < MAX_ERROR_TYPES) errorTypes.add(errorType)
  return { ...OPERATION[name], 'error.type': errorTypes.has(errorType) ? errorType : '_OTHER' }
}

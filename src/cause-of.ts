/**
 * What caused an error. An `AggregateError`, such as that of a connection that every address refused, has no cause and
 * often no message: its first error tells.
 */
export function causeOf(error: object): unknown {
  const { cause, errors } = error as { readonly cause?: unknown; readonly errors?: unknown }
  return cause ?? (Array.isArray(errors) ? errors[0] : undefined)
}

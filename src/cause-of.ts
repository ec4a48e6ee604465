/**
 * What caused an error. An `AggregateError`, such as that of a connection that every address refused, has no
 * cause and often no message: its first error tells.
 */
export function causeOf(error: object): unknown {
  const { cause, errors } = error as { readonly cause?: unknown; readonly errors?: unknown }
  return cause ?? (Array.isArray(errors) ? errors[0] : undefined)
}

const MOST = 8

/** An error and what caused it, innermost last: at most eight, as an error may be its own cause. */
export function causesOf(error: unknown): Error[] {
  const found: Error[] = []
  for (let one = error; one instanceof Error && found.length < MOST; one = causeOf(one)) found.push(one)
  return found
}

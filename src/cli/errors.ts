/** The command was used wrongly, or was not confirmed. Exit code 2. */
export class UsageError extends Error {}

/** The command was valid, but failed. Exit code 1. */
export class Failure extends Error {
  readonly code: string

  constructor(message: string, { code = 'failed', cause }: { code?: string; cause?: unknown } = {}) {
    super(message, { cause })
    this.code = code
  }
}

/** A question was answered with Ctrl-C. Exit code 130. */
export class Interrupted extends Error {}

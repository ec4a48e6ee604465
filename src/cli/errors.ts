import type { OptionError } from '../option-checks.ts'

/** The command was used wrongly, or was not confirmed. Exit code 2. */
export class UsageError extends Error {}

/** The command was valid, but failed. Exit code 1. */
export class Failure extends Error {
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** The user ended a question with Ctrl-C. Exit code 130. */
export class Interrupted extends Error {}

/** What the command line calls options of the library. */
const WORDS: Readonly<Record<string, string>> = {
  baseUrl: 'PAYHOOK_BASE_URL',
  clientId: 'PAYHOOK_CLIENT_ID',
  clientSecret: 'PAYHOOK_CLIENT_SECRET',
  servicePath: 'PAYHOOK_SERVICE_PATH',
  tokenLifetimeSeconds: '--token-lifetime',
  resourcePath: '--resource-path',
  stateFile: '--state-file',
  event: 'The kind',
  since: '--since',
  callbackUrl: 'The URL',
  url: 'The URL',
  id: 'The id',
  queueName: '"queue" in the URL of the inbox',
  prefix: '"prefix" in the URL of the inbox',
  schema: '"schema" in the URL of the inbox',
  keepCompletedSeconds: '"keepCompletedSeconds" of the application and --keep-completed',
  path: 'The path of the inbox',
}

export function toOwnWords(error: Error): string {
  // Not by its class: in the package, the sandbox and the check of receivers have a copy of their own.
  const { option, requirement } = error as Partial<OptionError>
  if (option === undefined || requirement === undefined)
    return error.message.replace(/^"(\w+)" option/, (words, name) => WORDS[name] ?? words)
  return `${WORDS[option] ?? `"${option}"`} must be ${requirement}`
}

/** Whether it is the library's error about an invalid option or argument. */
export function isUsageError(error: unknown): boolean {
  return error instanceof UsageError || (error instanceof TypeError && /^"\w+"/.test(error.message))
}

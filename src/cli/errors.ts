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

/** What the command line calls an option of the library, if it is not a flag of the same name. */
const WORDS: Readonly<Record<string, string>> = {
  baseUrl: 'PAYHOOK_BASE_URL',
  servicePath: '--service-path',
  clientId: 'PAYHOOK_CLIENT_ID',
  clientSecret: 'PAYHOOK_CLIENT_SECRET',
  event: 'The kind',
  kind: 'The kind',
  callbackUrl: 'The URL',
  url: 'The URL',
  allowRemote: '--yes',
  id: 'The id',
  queueName: '"queue" in the URL of the inbox',
  prefix: '"prefix" in the URL of the inbox',
  schema: '"schema" in the URL of the inbox',
  path: 'The path of the inbox',
  accountId: '--account',
  keepCompletedSeconds: '"keepCompletedSeconds" of the application, and --keep-completed',
}

/** Whether it is the library's error about an invalid option or argument. */
export function isUsageError(error: unknown): boolean {
  return error instanceof UsageError || (error instanceof TypeError && /^"\w+"/.test(error.message))
}

/** The message of an error in the words of the command line instead of the library's. */
export function toCommandLine(error: Error): string {
  return error.message
    .replace(/, unless "allowInsecureHttp".*/, '')
    .replace(/"(\w+)"( option)?/g, (name, word, isOption) => WORDS[word] ?? (isOption ? toFlag(word) : name))
    .replace(/See `(\w+)`[^.]*\./, (_, name) => `The response: ${JSON.stringify(error[name as keyof Error])}`)
}

function toFlag(name: string): string {
  return `--${name.replace(/(?:Ms|Seconds|s)$/, '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

import { InboxError } from '../../../src/errors.ts'

const REJECTED =
  /^(?:WRONGPASS|NOAUTH|NOPERM|ERR (?:AUTH |invalid password|DB index|unknown command))|The user executing the script can't/

/** @returns the error, or one that says what waiting does not mend */
export function explain(error: Error, { message }: Error = error): Error {
  if (/^(?:MOVED|CROSSSLOT) /.test(message)) {
    const advice =
      'Pass an ioredis Cluster as "connection", and a "prefix" with a hash tag, such as "{payhook}".'
    return misconfigured(`Redis is a cluster. ${advice}`, error)
  }
  return REJECTED.test(message)
    ? misconfigured(`Redis rejects the connection or a command: ${message}`, error)
    : error
}

export function misconfigured(message: string, cause?: Error): InboxError {
  return new InboxError('inbox_misconfigured', message, cause && { cause })
}

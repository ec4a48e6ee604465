import { notification, paymentId, tampered } from './notification.ts'

/** What is to be shown to work before it is measured. */
export interface Provable {
  readonly name: string
  /** Reads a body as if it had come with the signature of the untouched notification. */
  readonly read: (body: Buffer) => unknown
}

/**
 * Has a contestant accept the right signature and refuse a wrong one: one that fails early looks fast.
 *
 * @throws when it does not
 */
export async function prove({ name, read }: Provable): Promise<void> {
  const accepted = await read(notification)
  if (accepted !== true && !JSON.stringify(accepted).includes(paymentId)) {
    throw new Error(`${name} does not read the notification`)
  }
  if (!(await isRefused(() => read(tampered)))) throw new Error(`${name} accepts a tampered notification`)
}

async function isRefused(read: () => unknown): Promise<boolean> {
  try {
    return (await read()) === false
  } catch (error) {
    // The body is as good as the right one in all else, so nothing but the signature may be at fault.
    if (error instanceof SyntaxError || error instanceof TypeError) throw error
    return true
  }
}

import { notification, paymentId, tampered } from '../support/notification.ts'

/** A contestant that has to work before it is measured. */
export interface Provable {
  readonly name: string
  /** Reads a body, with the signature of the original notification. */
  readonly read: (body: Buffer) => unknown
}

/**
 * Checks that a contestant accepts the right signature and rejects a wrong one. One that fails early looks
 * fast.
 *
 * @throws if it does not
 */
export async function prove({ name, read }: Provable): Promise<void> {
  const accepted = await read(notification)
  if (accepted !== true && !JSON.stringify(accepted).includes(paymentId)) {
    throw new Error(`${name} does not read the notification`)
  }
  if (!(await isRejected(() => read(tampered)))) throw new Error(`${name} accepts a tampered notification`)
}

async function isRejected(read: () => unknown): Promise<boolean> {
  try {
    return (await read()) === false
  } catch (error) {
    // The body is valid otherwise, so the only possible fault is the signature.
    if (error instanceof SyntaxError || error instanceof TypeError) throw error
    return true
  }
}

import { onTestFinished } from 'vitest'
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/index.ts'
import { openReceiver, type ReceiverOfNotifications } from './receiver-of-notifications.ts'

/** A sandbox for one test, with short delays. */
export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await createSandbox({ retryDelayMs: 10, ...options })
  onTestFinished(() => sandbox.close())
  return sandbox
}

/** A receiver for one test. It responds 200 by default. */
export async function receiver(...answer: Parameters<typeof openReceiver>): Promise<ReceiverOfNotifications> {
  const opened = await openReceiver(...answer)
  onTestFinished(async () => void (await opened.close()))
  return opened
}

import { onTestFinished } from 'vitest'
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/index.ts'
import { openReceiver, type ReceiverOfNotifications } from './receiver-of-notifications.ts'

/** A sandbox for one test, with short delays. */
export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  // A busy receiver accepts one connection per turn of its event loop, so the last of 50 may wait for long.
  const sandbox = await createSandbox({ retryDelayMs: 10, attemptTimeoutMs: 60_000, ...options })
  onTestFinished(() => sandbox.close())
  return sandbox
}

/** A receiver for one test. It responds 200 by default. */
export async function receiver(...answer: Parameters<typeof openReceiver>): Promise<ReceiverOfNotifications> {
  const opened = await openReceiver(...answer)
  onTestFinished(async () => void (await opened.close()))
  return opened
}

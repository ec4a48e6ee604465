import { onTestFinished } from 'vitest'
import {
  createSandbox as create,
  type Delivery,
  type Sandbox,
  type SandboxOptions,
} from '../../src/sandbox/index.ts'
import { recordViolations } from '../openapi/record-violations.ts'
import { openReceiver, type ReceiverOfNotifications } from './receiver-of-notifications.ts'
import { subscribe } from './service/http-calls.ts'

/** A sandbox whose exchanges are checked against the OpenAPI documents when it is closed. */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await create(options)
  const assertNone = recordViolations(sandbox, options)
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= sandbox.close().then(assertNone)
    return closed
  }
  return { ...sandbox, close, [Symbol.asyncDispose]: close }
}

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

type Answer = NonNullable<Parameters<typeof openReceiver>[0]>

export const fails: Answer = (response) => response.writeHead(500).end()

export const failsAtFirst: Answer = (response, _arrival, count) =>
  response.writeHead(count === 1 ? 500 : 200).end()

/** A sandbox and a receiver for one test. The receiver is subscribed to a kind, or to several. */
export async function openSubscribed(
  kinds: string | readonly string[],
  answer?: Answer,
  options?: SandboxOptions,
) {
  const { url, arrivals } = await receiver(answer)
  return { sandbox: await openNotifying(kinds, [url], options), url, arrivals }
}

/** A sandbox for one test that notifies these URLs of a kind, or of several. */
export async function openNotifying(
  kinds: string | readonly string[],
  urls: readonly string[],
  options?: SandboxOptions,
): Promise<Sandbox> {
  const sandbox = await openSandbox(options)
  for (const kind of [kinds].flat()) for (const url of urls) await subscribe(sandbox, kind, url)
  return sandbox
}

/** The state of each delivery, and the statuses of its attempts. */
export function statusesOf(deliveries: readonly Delivery[]) {
  return deliveries.map(({ state, attempts }) => [state, ...attempts.map(({ status }) => status)])
}

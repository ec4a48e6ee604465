import type { Outgoing } from './outgoing.ts'

/** The outcome of sending one notification. */
export interface Answer {
  readonly name: string
  readonly signature: string
  readonly durationMs: number
  /** Status of the response, if there was one. */
  readonly status?: number
  readonly body?: string
  /** Why there was no response. */
  readonly error?: string
}

/** Sends a notification as the service does. A redirect is not followed. */
export async function post(url: URL, outgoing: Outgoing, timeoutMs: number): Promise<Answer> {
  const { name, body, signature } = outgoing
  const startedAt = performance.now()
  const result = async () => {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'access-signature': signature },
        body: body as Uint8Array<ArrayBuffer>,
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      })
      return { status: response.status, body: await response.text() }
    } catch (error) {
      return { error: reasonOf(error, timeoutMs) }
    }
  }
  return {
    name,
    signature,
    ...(await result()),
    durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
  }
}

function reasonOf(error: unknown, timeoutMs: number): string {
  const { name, message, cause } = error as Error
  if (name === 'TimeoutError') return `no response within ${timeoutMs} ms`
  return (cause as Error | undefined)?.message || (cause as { code?: string } | undefined)?.code || message
}

import { setTimeout as delay } from 'node:timers/promises'
import { createNotification } from '../../src/testing/index.ts'

/** Sends notifications as the service does: each up to three times, until there is a 2xx. */
export interface Load {
  /** Signs with another client id from now on. */
  signWith(clientId: string): void
  /** Sends one about this payment, beside the others, and returns the last status. */
  send(paymentId: string): Promise<number>
  pause(): void
  resume(): void
  stop(): void
}

export interface LoadOptions {
  /** Used in turn. */
  readonly urls: readonly string[]
  readonly perSecond: number
  readonly clientId: string
}

/** Shorter than the 5 seconds of the service, as everything is here. */
const BETWEEN_ATTEMPTS_MS = 200

export function startLoad({ urls, perSecond, clientId }: LoadOptions): Load {
  let signer = clientId
  let paused = false
  let sent = 0

  async function send(paymentId: string): Promise<number> {
    const data = { id: paymentId, status: 'Complete' }
    const notification = createNotification('INBOUND_PAYMENT_STATUS_UPDATED', { clientId: signer, data })
    for (let attempt = 1; ; attempt++) {
      const url = urls[sent++ % urls.length] as string
      const { status } = await fetch(url, notification).catch(() => ({ status: 0 }))
      if (status === 200 || attempt === 3) return status
      await delay(BETWEEN_ATTEMPTS_MS)
    }
  }

  let next = 100_000
  const timer = setInterval(() => {
    if (!paused) void send(String(next++))
  }, 1_000 / perSecond)

  return {
    signWith(clientId) {
      signer = clientId
    },
    send,
    pause() {
      paused = true
    },
    resume() {
      paused = false
    },
    stop: () => clearInterval(timer),
  }
}

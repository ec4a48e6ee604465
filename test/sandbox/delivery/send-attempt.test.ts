import { expect, it } from 'vitest'
import { Closing } from '../../../src/sandbox/delivery/closing.ts'
import { sendAttempt } from '../../../src/sandbox/delivery/send-attempt.ts'
import { createSignedBody } from '../../../src/sandbox/state/delivery.ts'
import { receiver } from '../open-sandbox.ts'

class CountedClosing extends Closing {
  size = 0

  override add(undo: () => void): () => void {
    this.size++
    const forget = super.add(undo)
    return () => {
      this.size--
      forget()
    }
  }
}

it.each([
  ['has a response', 60_000, undefined],
  ['timed out', 1, 'no complete response within 1 ms'],
])('an attempt that %s leaves no cleanup registered', async (_what, attemptTimeoutMs, error) => {
  const { url } = await receiver((response) => error === undefined && response.end())
  const closing = new CountedClosing()
  const clientId = 'client'
  const record = { callbackUrl: url, contentType: 'text/plain', body: createSignedBody('{}', clientId) }
  const sent = sendAttempt(record, 1, {}, { clientId, attemptTimeoutMs }, closing)
  expect(closing.size).toBe(1)
  expect((await sent).error).toBe(error)
  expect(closing.size).toBe(0)
})

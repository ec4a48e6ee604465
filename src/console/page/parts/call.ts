/** An answer that is not 2xx, or none. */
export class CallFailure extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/**
 * Sends a request and reads its JSON.
 *
 * @throws CallFailure if the answer is not 2xx, or none comes
 */
export async function call<Answer>(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, init).catch(() => undefined)
  if (!response) throw new CallFailure(0, 'no_answer', 'The server does not answer. Is it still running?')
  const text = await response.text()
  const answer = parse(text)
  if (response.ok && answer !== undefined) return answer as Answer
  const { code = '', message = '' } = (answer ?? {}) as { code?: string; message?: string }
  throw new CallFailure(response.status, code, message || `The server answered ${response.status}.`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

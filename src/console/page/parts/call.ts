/**
 * Sends a request and reads its JSON.
 *
 * @throws Error if there is no response, or it is not 2xx
 */
export async function call<Body>(url: string, init: RequestInit): Promise<Body> {
  const response = await fetch(url, init).catch(() => undefined)
  if (!response) throw new Error('The server does not respond. Is it still running?')
  const body = await response.json().catch(() => undefined)
  if (response.ok && body !== undefined) return body
  throw new Error(body?.message || `The server responded with ${response.status}.`)
}

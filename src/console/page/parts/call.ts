/** @throws Error if there is no response, or it is not 2xx */
export async function call<Body>(url: string, init: RequestInit): Promise<Body> {
  // The address of the document may contain a password, with which nothing can be fetched.
  const target = new URL(url, location.origin + location.pathname)
  // A redirect leads to a login page.
  const response = await fetch(target, { ...init, redirect: 'manual' }).catch(() => undefined)
  if (!response) throw new Error('The server does not respond. Is it still running?')
  if (response.type === 'opaqueredirect') throw new Error('You are no longer logged in. Reload the page.')
  const body = await response.json().catch(() => undefined)
  if (response.ok && body !== undefined) return body
  throw new Error(body?.message || `The server responded with ${response.status}.`)
}

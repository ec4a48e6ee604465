import type { Sandbox } from '../../../src/sandbox/index.ts'

/** A page and its forms. */
export interface Page {
  status: number
  headers: Headers
  text: string
  action: string
  hidden: Record<string, string>
}

export async function openAuthorizePage(url: string | URL): Promise<Page> {
  return await toPage(await fetch(url, { redirect: 'manual' }))
}

/** Submits the form of a page with one of its buttons. */
export async function submit(page: Page, base: string, fields: Record<string, string>): Promise<Response> {
  return await fetch(new URL(page.action, base), {
    method: 'POST',
    body: new URLSearchParams({ ...page.hidden, ...fields }),
    redirect: 'manual',
  })
}

export async function toPage(response: Response): Promise<Page> {
  const text = await response.text()
  const hidden = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
  return {
    status: response.status,
    headers: response.headers,
    text,
    action: unescapeHtml(/<form[^>]* action="([^"]*)"/.exec(text)?.[1] ?? ''),
    hidden: Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, unescapeHtml(value)])),
  }
}

/** Logs in and allows access, and returns the redirect target. */
export async function consent(sandbox: Sandbox, authorizeUrl: string | URL, user = 0): Promise<URL> {
  const { email = '', password = '' } = sandbox.users[user] ?? {}
  const login = await openAuthorizePage(authorizeUrl)
  const question = await toPage(await submit(login, sandbox.url, { step: 'login', email, password }))
  const answer = await submit(question, sandbox.url, { step: 'allow' })
  return new URL(answer.headers.get('location') ?? '')
}

export function authorizeUrl(sandbox: Sandbox, parameters: Record<string, string> = {}): URL {
  const url = new URL('/oauth/authorize', sandbox.url)
  url.search = String(
    new URLSearchParams({
      client_id: sandbox.clientId,
      redirect_uri: sandbox.redirectUris[0] ?? '',
      response_type: 'code',
      ...parameters,
    }),
  )
  return url
}

function unescapeHtml(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}

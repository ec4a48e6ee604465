import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import { html, raw } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { type SandboxUser, USERS } from '../state/accounts.ts'

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2330; --soft: #566072; --line: #c9d0da; --paper: #fff; --ground: #f1f3f6; --main: #1d4fd7; --bad: #b3261e }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ebf0; --soft: #a3adbd; --line: #434c5b; --paper: #1b2029; --ground: #11151b; --main: #8fb0ff; --bad: #ff9d94 } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif }
main { width: 100%; max-width: 27rem; padding: 2rem; background: var(--paper); border: 1px solid var(--line); border-radius: .75rem; overflow-wrap: anywhere }
.badge { margin: 0 0 .75rem; color: var(--soft); font-size: .875rem }
h1 { margin: 0 0 .75rem; font-size: 1.375rem; line-height: 1.25 }
h2 { margin: 1.75rem 0 .25rem; font-size: 1rem }
label { display: block; margin: 1rem 0 .25rem; font-weight: 600 }
input { width: 100%; padding: .625rem .75rem; border: 1px solid var(--soft); border-radius: .375rem; background: transparent; color: inherit; font: inherit }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem }
.or { margin: .5rem 0 0; color: var(--soft); font-size: .875rem }
button { flex: 1; padding: .625rem 1rem; border: 1px solid var(--main); border-radius: .375rem; background: transparent; color: var(--main); font: inherit; font-weight: 600; cursor: pointer }
button.main { background: var(--main); color: var(--paper) }
:focus-visible { outline: 3px solid var(--main); outline-offset: 2px }
.error { padding: .625rem .75rem; border: 1px solid var(--bad); border-radius: .375rem; color: var(--bad) }
table { width: 100%; border-collapse: collapse; font-size: .875rem }
th, td { text-align: left }
[scope=col] { overflow-wrap: normal }
@media (max-width: 28rem) { body { padding: .5rem } main { padding: 1.25rem } }
th, td { padding: .375rem .5rem .375rem 0; border-bottom: 1px solid var(--line) }
code { font: .9375em ui-monospace, monospace }
`
const STYLE_HASH = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`

/** A login that one click accepts, with the consent. */
interface Shortcut {
  readonly user: SandboxUser
  readonly ticket: string
}

export async function sendLogin(
  c: Context,
  action: string,
  shortcuts: readonly Shortcut[],
  error: string | undefined,
  givenEmail: string,
): Promise<Response> {
  const content = html`
<p>An application wants to use the payments service for you.</p>
${error && html`<p class="error" role="alert" id="login-error">${error}</p>`}
<form method="post" action="${action}">
<p class="actions">${shortcuts.map(
    ({ user, ticket }) => html`
<button class="main" type="submit" name="as" value="${ticket}">Continue as ${user.name.split(' ')[0]}</button>`,
  )}
</p>
</form>
<p class="or">One click logs you in and allows access (sandbox only). Or do it step by step:</p>
<form method="post" action="${action}">
<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="username" required autofocus value="${givenEmail}" ${error ? html`aria-describedby="login-error"` : ''}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<p class="actions">
<button class="main" type="submit" name="step" value="login">Log in</button>
<button type="submit" name="step" value="deny" formnovalidate>Cancel</button>
</p>
</form>
<h2>Users of this sandbox</h2>
<table>
<thead><tr><th scope="col">Name</th><th scope="col">E-mail</th><th scope="col">Password</th></tr></thead>
<tbody>${USERS.map(
    ({ name, email, password }) => html`
<tr><th scope="row">${name}</th><td><code>${email}</code></td><td><code>${password}</code></td></tr>`,
  )}
</tbody>
</table>`
  return await sendPage(c, error ? 400 : 200, error ? 'Log in: please try again' : 'Log in', content)
}

export async function sendConsent(
  c: Context,
  action: string,
  { user, ticket, clientId, redirectUri }: Shortcut & { clientId: string; redirectUri: string },
): Promise<Response> {
  const content = html`
<p>You are logged in as <strong>${user.name}</strong> (${user.email}).</p>
<p>The application <code>${clientId}</code> asks for access to your account <code>${user.accountId}</code>:
to send and read payments and invoices, and to be notified of them.</p>
<p>You will be sent to <code>${redirectUri}</code>.</p>
<form method="post" action="${action}">
<input type="hidden" name="ticket" value="${ticket}">
<p class="actions">
<button class="main" type="submit" name="step" value="allow">Allow</button>
<button type="submit" name="step" value="deny">Deny</button>
</p>
</form>`
  return await sendPage(c, 200, 'Allow access?', content)
}

/** Tells the user why the request is invalid, without a redirect. */
export async function sendRejection(c: Context, explanation: string): Promise<Response> {
  const content = html`
<p class="error" role="alert">${explanation}</p>
<p>Go back to the application and report this to its developers.</p>`
  return await sendPage(c, 400, 'This request cannot be granted', content)
}

/** Responds with a page that forbids frames, caching and scripts. */
async function sendPage(
  c: Context,
  status: ContentfulStatusCode,
  title: string,
  content: HtmlEscapedString | Promise<HtmlEscapedString>,
): Promise<Response> {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – payments sandbox</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<main>
<p class="badge">Payments sandbox, no real money</p>
<h1>${title}</h1>
${content}
</main>
</body>
</html>`
  return c.html(await page, status, {
    'content-security-policy': [
      "default-src 'none'",
      `style-src ${STYLE_HASH}`,
      // No form-action: browsers also apply it to redirects after a form, even those of the application.
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  })
}

import type { Context } from 'hono'
import { html } from 'hono/html'
import { type SandboxUser, USERS } from '../state/accounts.ts'
import { sendPage } from './page.ts'

/** A log-in that one click accepts, with the consent. */
interface Shortcut {
  readonly user: SandboxUser
  readonly ticket: string
}

/** Responds with the log-in form. */
export async function sendLogIn(
  c: Context,
  action: string,
  shortcuts: readonly Shortcut[],
  error: string | undefined,
  givenEmail: string,
): Promise<Response> {
  const content = html`
<p>An application wants to use the payments service for you.</p>
${error && html`<p class="error" role="alert" id="log-in-error">${error}</p>`}
<form method="post" action="${action}">
<p class="actions">${shortcuts.map(
    ({ user, ticket }) => html`
<button class="main" type="submit" name="as" value="${ticket}">Continue as ${user.name.split(' ')[0]}</button>`,
  )}
</p>
</form>
<p class="or">logs in and allows in one click, which only a sandbox does. Or step by step:</p>
<form method="post" action="${action}">
<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="username" required autofocus value="${givenEmail}" ${error ? html`aria-describedby="log-in-error"` : ''}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<p class="actions">
<button class="main" type="submit" name="step" value="log-in">Log in</button>
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

/** Responds with the consent form. */
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
<p>Go back to the application and tell its makers.</p>`
  return await sendPage(c, 400, 'This request cannot be granted', content)
}

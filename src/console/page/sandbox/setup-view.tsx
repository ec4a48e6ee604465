import { useSignal } from '@preact/signals'
import { CopyButton } from '../parts/clipboard.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { kindLabel } from '../parts/format.ts'
import { Card } from '../parts/frame.tsx'
import { Chip } from '../parts/icons.tsx'
import { notify, run } from '../parts/notice.tsx'
import type { Configuration, Credentials } from './control-answers.ts'
import { control } from './control-api.ts'
import { load } from './delivery-store.ts'
import { RegisterForm } from './register-form.tsx'
import { configurations, credentials, loadConfigurations, loadSession } from './session.ts'
import { authorizeUrl, tokenCurl } from './shell.ts'

/** Configurations, credentials and tokens. */
export function SetupView() {
  const known = credentials.value
  return (
    <main class="page-pane">
      <div class="forms two">
        <div class="column">
          <Configurations />
          <Card title="Register a URL">
            <div class="body">
              <RegisterForm />
            </div>
          </Card>
        </div>
        <div class="column">{known && <Access credentials={known} />}</div>
      </div>
    </main>
  )
}

function Configurations() {
  const all = configurations.value ?? []
  const shown = [...all].sort(
    (left, right) => left.status.localeCompare(right.status) || Number(right.id) - Number(left.id),
  )
  return (
    <Card title="Callback configurations">
      <div class="body">
        {shown.length === 0 ? (
          <p class="soft">
            None yet. A configuration subscribes one URL to one kind; without one, nothing is sent. Register
            yours below, or from your application with <code>client.webhooks.sync()</code>.
          </p>
        ) : (
          <table>
            <thead>
              <tr>
                <th scope="col">Kind</th>
                <th scope="col">URL</th>
                <th scope="col">Status</th>
                <th scope="col">
                  <span class="hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.slice(0, 200).map((one) => (
                <Row key={one.id} configuration={one} />
              ))}
            </tbody>
          </table>
        )}
      </div>
    </Card>
  )
}

function Row({
  configuration: { id, event, callbackUrl, status, accountId },
}: {
  configuration: Configuration
}) {
  const edited = useSignal<string | undefined>(undefined)
  const isActive = status === 'Active'
  const save = async () => {
    if (edited.value !== undefined) await control.reregister(String(id), event, edited.value)
    edited.value = undefined
    await loadConfigurations()
  }
  const deactivate = async () => {
    await control.deactivate(String(id))
    await loadConfigurations()
    notify('Deactivated: it gets no notifications any more')
  }
  const label = `${kindLabel(event)}, configuration ${id}`
  return (
    <tr>
      <td>
        {kindLabel(event)}
        {accountId && accountId !== credentials.value?.accountId && (
          <div class="soft">account {accountId}</div>
        )}
      </td>
      <td class="mono">
        {edited.value === undefined ? (
          callbackUrl
        ) : (
          <input
            type="url"
            aria-label={`URL of ${label}`}
            value={edited.value}
            onInput={(input) => {
              edited.value = input.currentTarget.value
            }}
            onKeyDown={(key) => key.key === 'Enter' && run(save)()}
          />
        )}
      </td>
      <td>
        <Chip tone={isActive ? 'ok' : 'soft'}>{status}</Chip>
      </td>
      <td class="acts">
        {isActive && edited.value === undefined && (
          <>
            <button
              type="button"
              class="plain small"
              aria-label={`Edit ${label}`}
              onClick={() => {
                edited.value = callbackUrl
              }}
            >
              Edit
            </button>
            <button
              type="button"
              class="plain small"
              aria-label={`Deactivate ${label}`}
              onClick={run(deactivate)}
            >
              Deactivate
            </button>
          </>
        )}
        {edited.value !== undefined && (
          <button type="button" class="small" onClick={run(save)}>
            Save
          </button>
        )}
      </td>
    </tr>
  )
}

function Access({ credentials: known }: { credentials: Credentials }) {
  const facts = [
    ['Base address', known.url],
    ['Client id', known.clientId],
    ['Client secret', known.clientSecret],
    ['Account', known.accountId],
  ] as const
  const command = tokenCurl(known)
  const reset = async () => {
    await control.reset()
    await Promise.all([load(), loadSession()])
    notify('The sandbox was reset')
  }
  return (
    <>
      <Card title="Credentials">
        <div class="body">
          <dl class="facts">
            {facts.map(([name, value]) => [
              <dt key={name}>{name}</dt>,
              <dd key={value} class="mono">
                {value} <CopyButton text={value} what={name.toLowerCase()} />
              </dd>,
            ])}
          </dl>
        </div>
      </Card>
      <Card title="Get a token" aside={<CopyButton text={command} what="curl command" />}>
        <div class="body">
          <CodeBlock lines label="Command that gets a token">
            {command}
          </CodeBlock>
          <div class="actions">
            <button
              type="button"
              onClick={run(() => done(control.expireTokens(), 'All tokens have expired: 401'))}
            >
              Expire all tokens
            </button>
            <button
              type="button"
              onClick={run(() => done(control.revokeTokens(), 'All tokens are invalid: 404'))}
            >
              Revoke all tokens
            </button>
          </div>
        </div>
      </Card>
      <Card title="Act for a user">
        <div class="body">
          <p class="soft">
            On the authorize page, one click continues as one of them. You come back to your redirect URI.
          </p>
          <div class="actions">
            <a class="button" href={authorizeUrl(known)} target="_blank" rel="noreferrer">
              Open the authorize page
            </a>
          </div>
          <dl class="facts">
            {known.users.map(({ name, email, password, accountId }) => [
              <dt key={name}>{name}</dt>,
              <dd key={email}>
                <span class="mono">
                  {email} / {password}
                </span>
                <br />
                account <span class="mono">{accountId}</span>
              </dd>,
            ])}
          </dl>
        </div>
      </Card>
      <Card title="Start again">
        <div class="body">
          <p class="soft">Forgets all deliveries, configurations, tokens and faults.</p>
          <div class="actions">
            <button type="button" class="danger" onClick={run(reset)}>
              Reset the sandbox
            </button>
          </div>
        </div>
      </Card>
    </>
  )
}

async function done(work: Promise<object>, text: string): Promise<void> {
  await work
  notify(text)
}

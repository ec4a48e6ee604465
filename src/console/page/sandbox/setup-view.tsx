import type { ConfigurationJson, CredentialsJson } from '../../../sandbox/control/control-json.ts'
import { CopyButton } from '../parts/clipboard.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { Button } from '../parts/fields.tsx'
import { counted, kindLabel } from '../parts/format.ts'
import { Card, Columns, Facts } from '../parts/frame.tsx'
import { notify } from '../parts/notice.tsx'
import { control } from './control-api.ts'
import { RegisterForm } from './register-form.tsx'
import { active, configurations, credentials, loadConfigurations } from './setup-store.ts'
import { authorizeUrl, tokenCurl } from './shell-commands.ts'

export function SetupView() {
  const known = credentials.value
  return (
    <Columns
      main={
        <>
          <Configurations />
          <Card title="Register a URL">
            <RegisterForm />
          </Card>
        </>
      }
      side={known && <Access credentials={known} />}
    />
  )
}

function Configurations() {
  const groups = Map.groupBy(active.value, ({ callbackUrl, accountId }) => `${accountId} ${callbackUrl}`)
  const inactive = (configurations.value ?? []).filter(({ status }) => status !== 'Active')
  return (
    <Card title="Callback URLs">
      {groups.size === 0 && (
        <p class="soft">
          None yet. A configuration subscribes one URL to one kind; without one, nothing is sent. Register
          yours below, or from your application with <code>client.webhooks.sync()</code>.
        </p>
      )}
      {[...groups].map(([key, group]) => (
        <Group key={key} group={group} />
      ))}
      {inactive.length > 0 && (
        <details>
          <summary>{counted(inactive.length, 'inactive configuration')}</summary>
          <ul>
            {inactive.slice(-200).map(({ id, event, callbackUrl }) => (
              <li key={id} class="soft wrap">
                {kindLabel(event)}: {callbackUrl}
              </li>
            ))}
          </ul>
        </details>
      )}
    </Card>
  )
}

function Group({ group }: { group: readonly ConfigurationJson[] }) {
  const { callbackUrl = '', accountId } = group[0] ?? {}
  const deactivate = async (some: readonly ConfigurationJson[]) => {
    for (const { id } of some) await control('DELETE configurations/:id', { id })
    await loadConfigurations()
    notify(`Deactivated: ${counted(some.length, 'kind')} of ${callbackUrl}`)
  }
  return (
    <section class="group" aria-label={callbackUrl}>
      <div class="actions">
        <code class="grow wrap">{callbackUrl}</code>
        <Button look="plain small" label={`Deactivate ${callbackUrl}`} work={() => deactivate(group)}>
          Deactivate
        </Button>
      </div>
      {accountId !== credentials.value?.accountId && <div class="soft">account {accountId}</div>}
      <ul class="kinds">
        {group.map((one) => (
          <li key={one.id} class="chip">
            {kindLabel(one.event)}
            <Button
              look="plain"
              label={`Deactivate ${kindLabel(one.event)} of ${callbackUrl}`}
              work={() => deactivate([one])}
            >
              ×
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Access({ credentials: known }: { credentials: CredentialsJson }) {
  const { url, clientId, clientSecret, accountId } = known
  const secrets = {
    'Base address': url,
    'Client id': clientId,
    'Client secret': clientSecret,
    Account: accountId,
  }
  const command = tokenCurl(known)
  return (
    <>
      <Card title="Credentials">
        <Facts
          facts={Object.entries(secrets).map(([name, value]) => [
            name,
            <span class="mono">
              {value} <CopyButton text={value} what={name.toLowerCase()} />
            </span>,
          ])}
        />
      </Card>
      <Card title="Get a token" aside={<CopyButton text={command} what="curl command" />}>
        <CodeBlock lines label="Command that gets a token" text={command} />
        <div class="actions">
          <Button
            work={() => control('POST tokens/expire').then(() => notify('All tokens have expired: 401'))}
          >
            Expire all tokens
          </Button>
          <Button
            work={() => control('POST tokens/revoke').then(() => notify('All tokens are invalid: 404'))}
          >
            Revoke all tokens
          </Button>
        </div>
      </Card>
      <Card title="Act for a user">
        <p class="soft">
          On the authorize page, one click continues as one of them. You come back to your redirect URI.
        </p>
        <div class="actions">
          <a class="button" href={authorizeUrl(known)} target="_blank" rel="noreferrer">
            Open the authorize page
          </a>
        </div>
        <Facts
          facts={known.users.map(({ name, email, password, accountId }) => [
            name,
            <>
              <span class="mono">
                {email} / {password}
              </span>
              <br />
              account <span class="mono">{accountId}</span>
            </>,
          ])}
        />
      </Card>
      <Card title="Start again">
        <p class="soft">Deletes all deliveries, configurations, tokens and faults.</p>
        <div class="actions">
          <Button
            look="danger"
            work={() => control('POST reset').then(() => notify('The sandbox was reset'))}
          >
            Reset the sandbox
          </Button>
        </div>
      </Card>
    </>
  )
}

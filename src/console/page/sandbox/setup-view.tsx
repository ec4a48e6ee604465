import { EVENT_KINDS } from '../../../events/kinds.ts'
import type { CredentialsJson } from '../../../sandbox/control/control-json.ts'
import type { Configuration } from '../../../sandbox/state/configurations.ts'
import { CopyButton, Exact } from '../parts/clipboard.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { Facts } from '../parts/facts.tsx'
import {
  Button,
  Checkbox,
  Form,
  InputField,
  kindOptions,
  SelectField,
  type Values,
} from '../parts/fields.tsx'
import { counted, kindLabel } from '../parts/format.ts'
import { Card, Columns } from '../parts/frame.tsx'
import { notify } from '../parts/notice.tsx'
import { stored } from '../parts/stored.ts'
import { control } from './control-api.ts'
import { active, credentials, loadConfigurations, register } from './setup-store.ts'
import { authorizeUrl, tokenCurl } from './shell-commands.ts'

const lastUrl = stored('callback-url', 'http://localhost:3000/webhooks')

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
    </Card>
  )
}

/** The kinds of a URL. */
function Group({ group }: { group: readonly Configuration[] }) {
  const { callbackUrl = '', accountId } = group[0] ?? {}
  const deactivate = async (some: readonly Configuration[]) => {
    for (const { id } of some) await control('DELETE configurations/:id', { id })
    await loadConfigurations()
    notify(`Deactivated: ${counted(some.length, 'kind')} of ${callbackUrl}`)
  }
  return (
    <section class="group" aria-label={callbackUrl}>
      <div class="actions">
        <code class="grow">{callbackUrl}</code>
        <Button
          look="plain small"
          label={`Deactivate ${callbackUrl}`}
          work={() => deactivate(group)}
          text="Deactivate"
        />
      </div>
      {accountId !== credentials.value?.accountId && <div class="soft">account {accountId}</div>}
      <ul class="kinds">
        {group.map((one) => {
          const kind = kindLabel(one.event)
          return (
            <li key={one.id} class="chip">
              {kind}
              <Button
                look="plain"
                label={`Deactivate ${kind} of ${callbackUrl}`}
                work={() => deactivate([one])}
                text="×"
              />
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function RegisterForm() {
  const { accountId = '', users = [] } = credentials.value ?? {}
  const submit = async ({ url = '', kind, user, replace }: Values) => {
    const account = users.find(({ email }) => email === user)?.accountId ?? accountId
    lastUrl.value = url
    await register(url, kind ? [kind] : EVENT_KINDS, account, replace !== undefined)
  }
  const accounts = users.map((user) => [user.email, `${user.name}, ${user.accountId}`])
  return (
    <Form look="grid" work={submit}>
      <InputField label="Callback URL" name="url" type="url" required defaultValue={lastUrl.value} />
      <SelectField label="Kind" name="kind" options={kindOptions(EVENT_KINDS)} />
      <SelectField
        label="Account"
        name="user"
        options={{ '': `Your application, ${accountId}`, ...Object.fromEntries(accounts) }}
      />
      <Checkbox name="replace" defaultChecked>
        Replace other URLs of the same kinds
      </Checkbox>
      <div class="actions">
        <Button text="Register" />
      </div>
    </Form>
  )
}

function Access({ credentials: known }: { credentials: CredentialsJson }) {
  const { url, clientId, clientSecret, accountId } = known
  const command = tokenCurl(known)
  const users = known.users.map(({ name, email, password, accountId }) => [
    name,
    <>
      <Exact text={`${email} / ${password}`} />
      <br />
      account <Exact text={accountId} />
    </>,
  ])
  return (
    <>
      <Card title="Credentials">
        <Facts
          facts={{
            'Base address': <Exact text={url} copied="base address" />,
            'Client id': <Exact text={clientId} copied="client id" />,
            'Client secret': <Exact text={clientSecret} copied="client secret" />,
            Account: <Exact text={accountId} copied="account" />,
          }}
        />
      </Card>
      <Card title="Get a token" aside={<CopyButton text={command} what="curl command" />}>
        <CodeBlock look="line" label="Command that gets a token" text={command} />
        <div class="actions">
          <Button
            work={() => control('POST tokens/expire').then(() => notify('All tokens have expired: 401'))}
            text="Expire all tokens"
          />
          <Button
            work={() => control('POST tokens/revoke').then(() => notify('All tokens are invalid: 404'))}
            text="Revoke all tokens"
          />
        </div>
      </Card>
      <Card title="Act for a user">
        <p class="soft">
          On the authorize page, one click continues as one of them. You come back to your redirect URI.
        </p>
        <div class="actions">
          <a href={authorizeUrl(known)} target="_blank" rel="noreferrer">
            Open the authorize page
          </a>
        </div>
        <Facts facts={Object.fromEntries(users)} />
      </Card>
      <Card title="Start again">
        <p class="soft">Deletes all deliveries, configurations, tokens and faults.</p>
        <div class="actions">
          <Button
            look="danger"
            work={() => control('POST reset').then(() => notify('The sandbox was reset'))}
            text="Reset the sandbox"
          />
        </div>
      </Card>
    </>
  )
}

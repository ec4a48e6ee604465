import type { Hono } from 'hono'
import type { SandboxCore } from '../sandbox-core.ts'
import { toConfiguration, toConfigurationUpdate } from '../service/configuration-body.ts'
import { APPLICATION, USERS } from '../state/accounts.ts'
import type { Configuration } from '../state/configurations.ts'
import { invalid, notFound } from './control-error.ts'
import { type ExactJson, readExactJson } from './read-exact-json.ts'
import type { ConfigurationJson, ConfigurationsJson } from './wire.ts'

const ACCOUNTS = [APPLICATION, ...USERS].map(({ accountId }) => accountId)

/** `configurations` of all accounts: list, create, update, deactivate. */
export function addConfigurationRoutes(app: Hono, { configurations }: SandboxCore): void {
  const findActive = (id: string): Configuration => {
    const found = configurations.findActive(id)
    if (!found) throw notFound(`There is no Active configuration ${id}`)
    return found
  }

  app.get('/_sandbox/configurations', (c) =>
    c.json({ configurations: configurations.all() } satisfies ConfigurationsJson),
  )
  app.post('/_sandbox/configurations', async (c) => {
    const { accountId = APPLICATION.accountId, ...fields } = await readExactJson(c.req, [
      'event',
      'callbackUrl',
      'callbackURL',
      'accountId',
    ])
    if (!ACCOUNTS.includes(String(accountId)))
      throw invalid(`"accountId" must be one of ${ACCOUNTS.join(', ')}`)
    const { event, callbackURL } = accepted(toConfiguration(toWireNames(fields)))
    if (configurations.isFull) throw invalid('There are too many configurations')
    return c.json(
      configurations.create(String(accountId), event, callbackURL) satisfies ConfigurationJson,
      201,
    )
  })
  app.patch('/_sandbox/configurations/:id', async (c) => {
    const fields = await readExactJson(c.req, ['event', 'callbackUrl', 'callbackURL'])
    const current = findActive(c.req.param('id'))
    const { event = current.event, callbackURL = current.callbackUrl } = accepted(
      toConfigurationUpdate(toWireNames(fields)),
    )
    return c.json(configurations.update(current, { event, callbackUrl: callbackURL }))
  })
  app.delete('/_sandbox/configurations/:id', (c) =>
    c.json(configurations.deactivate(findActive(c.req.param('id')))),
  )
}

/** Accepts both `callbackURL`, as in the service's requests, and `callbackUrl`, as in its responses. */
function toWireNames({ callbackUrl, ...fields }: ExactJson): ExactJson {
  return callbackUrl === undefined ? fields : { callbackURL: callbackUrl, ...fields }
}

function accepted<Body extends object>(body: Body | string): Body {
  if (typeof body === 'string') throw invalid(body.replaceAll('callbackURL', 'callbackUrl'))
  return body
}

import type { Hono } from 'hono'
import type { SandboxCore } from '../delivery/sandbox-core.ts'
import { invalid, notFound } from '../http-error.ts'
import { parseConfiguration, parseConfigurationUpdate } from '../service/configuration-body.ts'
import { APPLICATION, USERS } from '../state/accounts.ts'
import type { Configuration } from '../state/configurations.ts'
import type { ConfigurationJson, ConfigurationsJson, ConfigurationUpdateJson } from './control-json.ts'
import { readExactJson } from './read-exact-json.ts'

const ACCOUNTS = [APPLICATION, ...USERS].map(({ accountId }) => accountId)
const FIELDS = ['event', 'callbackUrl'] satisfies (keyof ConfigurationUpdateJson)[]

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
      ...FIELDS,
      'accountId',
    ])
    if (!ACCOUNTS.includes(String(accountId)))
      throw invalid(`"accountId" must be one of ${ACCOUNTS.join(', ')}`)
    const created = configurations.create(String(accountId), parseConfiguration('callbackUrl', fields))
    return c.json(created satisfies ConfigurationJson, 201)
  })
  app.patch('/_sandbox/configurations/:id', async (c) => {
    const fields = await readExactJson(c.req, FIELDS)
    const current = findActive(c.req.param('id'))
    return c.json(configurations.update(current, parseConfigurationUpdate('callbackUrl', fields, current)))
  })
  app.delete('/_sandbox/configurations/:id', (c) =>
    c.json(configurations.deactivate(findActive(c.req.param('id')))),
  )
}
